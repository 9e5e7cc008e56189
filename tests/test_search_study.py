"""The record of a search survives kills and locks, and other machines' trials stay theirs."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pedl2det.commands.search import command, table
from pedl2det_runtime.config.reader import read_config
from pedl2det_runtime.errors import Pedl2DetError
from pedl2det_runtime.search import study as study_module
from pedl2det_runtime.search.plan import Plan, Point, plan_of
from pedl2det_runtime.search.search import Reached, Search, TrialProcesses
from pedl2det_runtime.search.study import Result, Study, database_errors, sqlite
from pedl2det_runtime.training.run_options import RunOptions

POINTS = tuple(Point(number, {"rate": 0.1 * (number + 1)}, number, (8,)) for number in range(3))


def write_config(directory: Path) -> Any:
    """Write the config of a search, and read it."""
    directory.mkdir(exist_ok=True)
    (directory / "const.yaml").write_text(
        "name: rates\nentrypoint: model_def:Trial\nhyperparameters:\n"
        "  rate: {type: categorical, vals: [0.1, 0.2]}\n"
        "data: {secret_key: hunter2}\n"
        "searcher: {name: grid, metric: loss, max_length: {batches: 8}}\n"
    )
    return read_config(directory / "const.yaml")


@pytest.fixture(autouse=True)
def _signal_handlers() -> Iterator[None]:
    """Restore the handlers that a search sets."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


def open_study(out: Path, place: str | None = None) -> Study:
    return Study(sqlite(out), "rates", Plan(POINTS, None, 1), place, smaller_is_better=True)


TAKE_AND_DIE = """
import os, signal, sys
from pathlib import Path

import optuna

from test_search_study import open_study

out, place, commit = Path(sys.argv[1]), sys.argv[2] or None, sys.argv[3]
storage = optuna.storages.RDBStorage
original = getattr(storage, commit)


def commit_and_die(*arguments, **options):
    original(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)


study = open_study(out, place)
setattr(storage, commit, commit_and_die)
study.take(set())
"""


def take_and_die(out: Path, place: str | None, commit: str) -> None:
    """Take a trial in a process that is killed right after a commit of the study.

    A process of its own: a fork of this one, which has threads of TensorFlow, may crash.
    """
    child = subprocess.run(
        [sys.executable, "-c", TAKE_AND_DIE, out, place or "", commit],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert child.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("place", "commit"),
    [
        (None, "set_trial_state_values"),
        ("here:/out", "set_trial_user_attr"),
        ("here:/out", "set_trial_state_values"),
    ],
)
def test_a_kill_between_two_commits_loses_no_trial(
    place: str | None, commit: str, tmp_path: Path
) -> None:
    take_and_die(tmp_path, place, commit)

    study, taken = open_study(tmp_path, place), []
    while (point := study.take({*taken})) is not None:
        taken.append(point.number)
        study.end(point, {"best": 1.0, "best_batch": 8, "checkpoint": None})

    assert sorted(taken) == [0, 1, 2]
    assert {result.state for result in study.results()} == {"finished"}


def test_a_local_search_takes_over_what_runs_though_its_directory_has_moved(
    tmp_path: Path,
) -> None:
    assert open_study(tmp_path, "here:/before").take(set()) == POINTS[0]

    assert open_study(tmp_path).take(set()) == POINTS[0]


def test_a_trial_of_another_machine_stays_its_own(tmp_path: Path) -> None:
    there = open_study(tmp_path, "there:/out")
    assert there.take(set()) == POINTS[0]

    here, taken = open_study(tmp_path, "here:/out"), set()
    while (point := here.take(taken)) is not None:
        taken.add(point.number)

    assert taken == {1, 2}


def test_a_search_is_not_a_success_while_a_trial_is_not_over(tmp_path: Path) -> None:
    plan = plan_of(write_config(tmp_path / "trial"))
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    arguments = [str(tmp_path / "trial"), "--storage", url, "--out"]
    there = Study(url, "rates", plan, "there:/out", smaller_is_better=True)
    assert there.take(set()) == plan.points[0]
    assert there.take({0}) == plan.points[1]
    there.end(plan.points[1], {"best": 0.5, "best_batch": 8, "checkpoint": None})

    (tmp_path / "out").mkdir()

    done = CliRunner().invoke(command, [*arguments, str(tmp_path / "out")])

    assert done.exit_code == 1, done.output
    assert "best so far: trial 1" in done.output
    assert "trial 0 is not over: it was taken by there:/out" in done.stderr
    best = tmp_path / "out" / "best.yaml"
    assert best.stat().st_mode & 0o77 == 0
    assert "secret_key: hunter2" in best.read_text()  # which its run needs


def test_the_configs_of_a_search_are_private_though_its_directory_is_not(tmp_path: Path) -> None:
    config = write_config(tmp_path)
    options = RunOptions(tmp_path, tmp_path)
    search = Search(config, options, open_study(tmp_path), 1, print, TrialProcesses())
    before = tmp_path / "configs" / "0001.yaml"
    before.parent.mkdir()
    before.touch(mode=0o644)

    for point in plan_of(config).points:
        file = search.config_file(point)
        assert file.stat().st_mode & 0o77 == 0
        assert "secret_key: hunter2" in file.read_text()


@contextlib.contextmanager
def locked(file: Path) -> Iterator[sqlite3.Connection]:
    """Lock a database as another program would."""
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield other
    finally:
        other.close()


def test_a_search_waits_for_a_locked_database(tmp_path: Path) -> None:
    study = open_study(tmp_path)

    with locked(tmp_path / "search.db") as other:
        # SQLite itself waits for 5 s.
        release = threading.Timer(6.0, other.rollback)
        release.start()
        assert study.take(set()) == POINTS[0]
        release.join()


def test_a_database_that_stays_locked_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_module, "_LONGEST_LOCK", 0.1)
    study = open_study(tmp_path)

    with (
        locked(tmp_path / "search.db"),
        pytest.raises(Pedl2DetError) as caught,
        database_errors(sqlite(tmp_path)),
    ):
        study.take(set())

    (line,) = str(caught.value).splitlines()
    assert "search.db: database is locked" in line
    assert "--resume" in line


def train_as(out: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> Reached:
    """Train a trial whose process prints a line, and nothing else happens."""
    program = out / "python"
    program.write_text(f"#!/bin/sh\necho '{line}'\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    return TrialProcesses().train(RunOptions(out, out), out / "log.txt")


@pytest.mark.parametrize("last", [0.25, float("nan")])
def test_what_a_trial_reached_is_what_its_run_recorded(
    last: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial may print lines that look like the events of a run."""
    best = {"metric": "loss", "value": 0.2, "batches": 4, "checkpoint": "b"}
    ended = {"batches": 8, "trained": 4, "seconds": 1.0, "best": best, "last": last}
    record = {"title": "t", "seed": 0, "length": 8, "records": 2, "verbose": True, "ended": ended}
    (tmp_path / "run.json").write_text(json.dumps({"source": None, "end": record}))
    line = '{"event": "end", "batches": 99, "last": 0.0}'

    reached = train_as(tmp_path, line, monkeypatch)

    assert (reached.batches, reached.best, reached.best_batch) == (8, 0.2, 4)
    assert reached.checkpoint == str(tmp_path / "checkpoints" / "b")
    assert repr(reached.last) == repr(last)
    assert (tmp_path / "log.txt").read_text() == f"{line}\n"


def test_a_run_that_recorded_no_end_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = train_as(tmp_path, "done", monkeypatch)

    assert reached.error == f"{tmp_path}: the run recorded no end"


def test_a_hyperparameter_makes_no_row_of_the_table() -> None:
    values = ("relu\n9  best", "\x1b[2Jtanh")
    results = [Result(n, {"a": value}, "finished", {}) for n, value in enumerate(values)]

    _, first, second = table(results)

    assert [*filter(None, first.split("  "))] == ["0", r"relu\n9", "best", " finished"]
    assert second.split() == ["1", r"\x1b[2Jtanh", "finished"]
