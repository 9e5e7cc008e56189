"""How a run looks: a bar on a terminal, lines in a pipe, JSON for programs, or nothing."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pedl2det.terminal.bar import Bar
from pedl2det_runtime.checkpoint.manager import Best
from pedl2det_runtime.trainer.display import Ended, Report, shown_time
from support import pedl2det, write_tree
from test_run import CONFIG, MODEL, SMALL, reports

NOTICED = {**SMALL, "const.yaml": CONFIG + "max_restarts: 3\ndescription: small\n"}


def trained(tmp_path: Path, *arguments: str) -> Any:
    trial = write_tree(tmp_path / "trial", NOTICED)
    done = pedl2det("run", trial, "--out", tmp_path / "out", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def best_of(out: Path) -> dict[str, Any]:
    validations = [one for one in reports(out) if one["kind"] == "validation"]
    return min(validations, key=lambda one: one["metrics"]["val_loss"])


@pytest.mark.slow
def test_in_a_pipe_a_run_ends_with_its_best_validation(tmp_path: Path) -> None:
    done = trained(tmp_path, "--set", "checkpoint_policy=all")

    *_, ended, best = done.stdout.splitlines()
    assert re.fullmatch(
        rf"trained 60 batches in \d+\.\d s; results in {re.escape(str(tmp_path / 'out'))}", ended
    )
    value, path = best.removeprefix("best val_loss ").split(" at batch ")
    expected = best_of(tmp_path / "out")
    batches, checkpoint = path.split(": ")
    assert float(value) == pytest.approx(expected["metrics"]["val_loss"], rel=1e-5)
    assert int(batches) == expected["batches"]
    metadata = json.loads((Path(checkpoint) / "metadata.json").read_text())
    assert metadata["steps_completed"] == expected["batches"]


@pytest.mark.slow
def test_for_programs_each_line_is_an_object_with_an_event(tmp_path: Path) -> None:
    done = trained(tmp_path, "--log-format", "json")

    begin, *events, end = map(json.loads, done.stdout.splitlines())
    told = [one for one in events if one["event"] != "notice"]
    written = reports(tmp_path / "out")
    assert begin == {"event": "begin", "title": "small", "seed": begin["seed"]} | {
        "out": str(tmp_path / "out")
    }
    assert [one["event"] for one in told] == [one["kind"] for one in written]
    assert [one["metrics"] for one in told] == [one["metrics"] for one in written]
    assert {one["total"] for one in told} == {60}
    assert (end["event"], end["batches"]) == ("end", 60)
    assert end["best"]["batches"] == best_of(tmp_path / "out")["batches"]


@pytest.mark.slow
def test_programs_get_the_best_of_a_trial_that_shows_people_no_reports(tmp_path: Path) -> None:
    """A search is such a program."""
    wraps = "        model = self.context.wrap_model("
    silent = MODEL.replace(wraps, f"        self.context.configure_fit(verbose=False)\n{wraps}")
    assert silent != MODEL
    trial = write_tree(tmp_path / "trial", NOTICED | {"model_def.py": silent})

    shown = pedl2det("run", trial, "--out", tmp_path / "shown")
    told = pedl2det("run", trial, "--out", tmp_path / "told", "--log-format", "json")

    assert shown.returncode == told.returncode == 0, told.stderr
    assert "val_loss" not in shown.stdout
    end = json.loads(told.stdout.splitlines()[-1])
    last = reports(tmp_path / "told")[-1]["metrics"]["val_loss"]
    assert end["last"] == last
    assert end["best"]["value"] == best_of(tmp_path / "told")["metrics"]["val_loss"]


@pytest.mark.slow
def test_a_quiet_run_prints_notices_on_stderr_and_nothing_else(tmp_path: Path) -> None:
    done = trained(tmp_path, "--quiet")

    assert done.stdout == ""
    assert "max_restarts" in done.stderr
    assert "training" not in done.stderr


@pytest.mark.slow
def test_on_a_terminal_a_run_shows_a_bar_and_how_to_go_on(tmp_path: Path) -> None:
    trial = write_tree(tmp_path / "trial", NOTICED)
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "pedl2det", "run", str(trial), "--out", "out"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
    process = subprocess.Popen(
        command, stdout=its, stderr=subprocess.PIPE, env=environment, text=True, cwd=tmp_path
    )
    os.close(its)
    shown = seen(ours)
    assert process.wait() == 0, process.stderr and process.stderr.read()

    assert re.search(r"^ +batch +epoch +val_loss$", shown, re.MULTILINE)
    assert "tensorboard --logdir out/tensorboard" in shown
    assert f"pedl2det run {trial} --out out --resume" in shown


def seen(terminal: int) -> str:
    """What stands on a terminal at the end."""
    written = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
        if not more:
            break
        written += more
    os.close(terminal)
    return "\n".join(lines_on_screen(written.decode().replace("\r\n", "\n")))


def lines_on_screen(written: str) -> list[str]:
    """Lines without colours and movements, and without what was overwritten."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    return [line.rsplit("\r", 1)[-1].rstrip() for line in plain.split("\n")]


def shown_by_bar(*events: Report | Ended) -> list[str]:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=100, color_system=None)
    with Bar(Path("runs/iris"), lambda: "pedl2det run iris --resume", console) as bar:
        for event in events:
            if isinstance(event, Ended):
                bar.end(event, verbose=True)
            else:
                bar.advance(event.batches, 10_000)
                bar.report(event, 10_000)
    return lines_on_screen(written.getvalue().rstrip("\n"))


def validation(batches: int, loss: float, *, is_best: bool = False) -> Report:
    metrics = {"val_loss": loss, "val_accuracy_of_all": 0.5}
    return Report("validation", batches, batches / 100, metrics, is_best)


def test_validations_are_rows_of_one_table() -> None:
    lines = shown_by_bar(validation(500, 0.25, is_best=True), validation(10_000, 1.0 / 3))

    table = [line for line in lines if "val_loss" in line or "0.25" in line or "0.33" in line]
    assert table == [
        "   batch     epoch   val_loss  val_accuracy_of_all",
        "     500      5.00       0.25                  0.5  best",
        "  10,000    100.00   0.333333                  0.5",
    ]


def test_the_end_names_what_can_be_done_with_a_run() -> None:
    lines = shown_by_bar(
        validation(500, 0.25), Ended(500, 125.0, Best("val_loss", 0.25, 500, "1234"))
    )

    assert lines[-4:] == [
        "trained 500 batches in 2 min 5 s; results in runs/iris",
        "best val_loss 0.25 at batch 500: runs/iris/checkpoints/1234",
        "curves: tensorboard --logdir runs/iris/tensorboard",
        "train on, with a longer searcher.max_length: pedl2det run iris --resume",
    ]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.04, "0.0 s"), (59.94, "59.9 s"), (61, "1 min 1 s"), (7_260, "2 h 1 min")],
)
def test_durations_are_read_by_people(seconds: float, shown: str) -> None:
    assert shown_time(seconds) == shown
