"""search: real processes train exactly the trials of a config, also killed and taken up again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, heed_signals, pedl2det

pytestmark = pytest.mark.slow

CONFIG = """\
name: iris search
data: {{training_data: data/iris_training.csv, test_data: data/iris_test.csv}}
hyperparameters:
  learning_rate: {rate}
  learning_rate_decay: 0.0
  layer1_dense_size: {size}
  batch_size: 30
searcher: {searcher}
batches_per_step: 2
max_restarts: 1
reproducibility: {{experiment_seed: 5}}
"""
RATE = "{type: log, minval: -4, maxval: -1, base: 10}"
SIZE = "{type: int, minval: 4, maxval: 9}"
COMMON = "metric: val_loss, max_steps: 8"


def write_config(path: Path, searcher: str, rate: str = RATE, size: str = SIZE) -> Path:
    path.write_text(CONFIG.format(rate=rate, size=size, searcher=f"{{{searcher}, {COMMON}}}"))
    return path


def trained(out: Path) -> dict[int, tuple[Any, ...]]:
    """What the trials of a search really trained: from their checkpoints, by number."""
    found = {}
    for file in sorted(out.glob("trials/*/checkpoints/*/hparams.json")):
        values = json.loads(file.read_text())
        found[int(file.parts[-4])] = values["learning_rate"], values["layer1_dense_size"]
    return found


def batches(out: Path) -> dict[int, int]:
    logs = sorted(out.glob("trials/*/metrics.jsonl"))
    return {
        int(one.parts[-2]): json.loads(one.read_text().splitlines()[-1])["batches"] for one in logs
    }


@pytest.mark.turns(4, "searches")
def test_a_grid_trains_exactly_its_points(tmp_path: Path) -> None:
    config = write_config(
        tmp_path / "grid.yaml",
        "name: grid",
        "{type: categorical, vals: [0.1, 0.01]}",
        "{type: int, minval: 4, maxval: 8, count: 2}",
    )
    out = tmp_path / "out"

    done = pedl2det("search", EXAMPLES / "iris", "-c", config, "--out", out, "--jobs", 2)

    assert done.returncode == 0, done.stderr
    assert set(trained(out).values()) == {(0.1, 4), (0.1, 8), (0.01, 4), (0.01, 8)}
    assert batches(out) == dict.fromkeys(range(4), 16)
    best = re.search(r"best: trial (\d), val_loss (\S+)\n  its config: (\S+)\n", done.stdout)
    assert best is not None
    again = pedl2det("run", EXAMPLES / "iris", "-c", best[3], "--out", tmp_path / "again")
    assert again.returncode == 0, again.stderr
    last = (tmp_path / "again" / "metrics.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["metrics"]["val_loss"] == pytest.approx(float(best[2]), rel=1e-5)


@pytest.mark.turns(4, "searches")
def test_trials_do_not_depend_on_how_many_run_at_a_time(tmp_path: Path) -> None:
    config = write_config(tmp_path / "random.yaml", "name: random, max_trials: 2")
    for jobs in (1, 2):
        arguments = ("--out", tmp_path / str(jobs), "--jobs", jobs)
        done = pedl2det("search", EXAMPLES / "iris", "-c", config, *arguments)
        assert done.returncode == 0, done.stderr

    assert len(trained(tmp_path / "1")) == 2
    assert trained(tmp_path / "1") == trained(tmp_path / "2")


@pytest.mark.kills
@pytest.mark.turns(4, "searches")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_search_that_ends_in_between_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    config = write_config(
        tmp_path / "asha.yaml", "name: adaptive_simple, max_trials: 3, divisor: 2"
    )
    out = tmp_path / "out"
    command = ["search", str(EXAMPLES / "iris"), "-c", str(config), "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_signals,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("trial 1: trains"):
            break
    time.sleep(1)
    os.kill(process.pid, number)
    _, errors = process.communicate()
    log = out / "trials" / "0000" / "metrics.jsonl"
    written = log.stat().st_mtime_ns

    done = pedl2det(*command, "--resume")

    assert process.returncode == (-9 if number == signal.SIGKILL else 130)
    if number == signal.SIGINT:
        assert "go on with: pedl2det search " in errors
    assert done.returncode == 0, done.stderr
    assert log.stat().st_mtime_ns == written
    assert "trial 0: trains" not in done.stdout
    rows = re.findall(r"^(\d)  .*  (finished|stopped)$", done.stdout, re.MULTILINE)
    assert {int(number) for number, _ in rows} == set(range(3))


@pytest.mark.turns(4, "searches")
def test_a_trial_that_crashes_does_not_end_the_search(tmp_path: Path) -> None:
    config = write_config(
        tmp_path / "grid.yaml", "name: grid", "0.1", "{type: categorical, vals: [4, -1]}"
    )
    out = tmp_path / "out"

    done = pedl2det("search", EXAMPLES / "iris", "-c", config, "--out", out)

    assert done.returncode == 0, done.stderr
    assert "trial 1: failed: " in done.stdout
    assert "model_def.py:" in done.stdout
    assert "best: trial 0, val_loss" in done.stdout
    log = (out / "logs" / "0001.txt").read_text()
    assert log.count("pedl2det: ") == 2  # max_restarts: 1


@pytest.mark.turns(4, "searches")
def test_the_rule_of_successive_halving_holds_for_what_was_trained(tmp_path: Path) -> None:
    searcher = "name: async_halving, max_trials: 4, num_rungs: 2, divisor: 2"
    config = write_config(tmp_path / "asha.yaml", searcher)
    out = tmp_path / "out"

    done = pedl2det("search", EXAMPLES / "iris", "-c", config, "--out", out)

    assert done.returncode == 0, done.stderr
    values = [float(one) for one in re.findall(r"batch 8: (\S+), ", done.stdout)]
    went_on = [int(one) for one in re.findall(r"trial (\d): batch 8: \S+, goes on", done.stdout)]
    by_hand = [
        number
        for number, value in enumerate(values)
        if sorted(values[: number + 1]).index(value) < max((number + 1) // 2, 1)
    ]
    assert went_on == by_hand
    assert batches(out) == {one: 16 if one in by_hand else 8 for one in range(4)}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--resume", "--out", "none"), "--resume: none: there is no search"),
        (("--out", "."), "--out .: it is not empty: go on with --resume, or choose another"),
        (("--out", "x", "--storage", "nosql://me:sesame@x/"), "--storage nosql://me:********@x/: "),
        (
            ("--out", "x", "--set", "searcher.name=single"),
            "single has one trial: train it with run",
        ),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    config = write_config(tmp_path / "random.yaml", "name: random, max_trials: 3")

    done = pedl2det("search", EXAMPLES / "iris", "-c", config, *arguments, cwd=tmp_path)

    assert done.returncode == 2, done.stdout
    (line,) = done.stderr.splitlines()
    assert said in line
    assert {one.name for one in tmp_path.iterdir()} == {"random.yaml"}
