"""One run at a time writes into a directory, and notices when its results are taken away."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import training
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training import run_lock
from support import pedl2det, read_tree, start, write_tree
from test_run import SMALL, trained
from training import Trial

LOCK = "pedl2det-run.lock"
LONG = ("--set", "searcher.max_length.batches=1000000")


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "trial", SMALL)


@contextmanager
def running(trial: Path, out: Path, *arguments: str) -> Iterator[Any]:
    """A run that has reported something and goes on; killed afterwards."""
    process = start(["run", str(trial), "--out", str(out), *arguments], None, {**os.environ})
    try:
        log = out / "metrics.jsonl"
        while not (log.exists() and log.read_bytes().count(b"\n") > 3):
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.kills
def test_a_second_run_says_who_trains_and_changes_nothing(trial: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with running(trial, out, *LONG) as first:
        os.kill(first.pid, signal.SIGSTOP)
        before = read_tree(out)
        for more in ((), ("--resume",)):
            second = pedl2det("run", trial, "--out", out, *LONG, *more)

            assert second.returncode == 2
            who = f"process {first.pid} on {socket.gethostname()} has been writing to it since "
            assert f"pedl2det: {out}: {who}" in second.stderr
            assert second.stderr.count("\n") == 1
            assert read_tree(out) == before

    assert json.loads((out / LOCK).read_text())["pid"] == first.pid
    trained(trial, out, "--resume", "--set", "searcher.max_length.batches=200")
    assert not (out / LOCK).exists()


@pytest.mark.slow
@pytest.mark.kills
def test_data_workers_do_not_keep_the_lock_of_a_killed_run(tmp_path: Path) -> None:
    model = SMALL["model_def.py"].replace(
        "        x = np.random.random((40, 3))\n        return x, x.sum(axis=1, keepdims=True)\n",
        "        self.context.configure_fit(workers=2, use_multiprocessing=True)\n"
        "        return Rows()\n",
    )
    model += """

class Rows(tf.keras.utils.Sequence):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        x = np.random.random((8, 3))
        return x, x.sum(axis=1)
"""
    trial = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": model})
    out = tmp_path / "out"
    with running(trial, out, *LONG) as first:
        first.kill()
        first.wait()
        with run_lock.held(out, print):
            pass


def test_a_file_of_somebody_else_is_not_taken_for_a_lock(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text('{"mine": 1}\n')
    with pytest.raises(ConfigError, match="did not write this"), run_lock.held(tmp_path, print):
        pass
    assert (tmp_path / LOCK).read_text() == '{"mine": 1}\n'

    (tmp_path / LOCK).unlink()
    (tmp_path / LOCK).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match="found a symbolic link"), run_lock.held(tmp_path, print):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_an_empty_file_of_that_name_stays(tmp_path: Path) -> None:
    (tmp_path / LOCK).touch()
    with run_lock.held(tmp_path, print):
        assert (tmp_path / LOCK).read_text()
    assert (tmp_path / LOCK).read_bytes() == b""


def test_a_refused_run_leaves_no_directory(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no"), run_lock.held(tmp_path / "out", print):
        raise ConfigError("no")
    assert not (tmp_path / "out").exists()


def test_a_file_system_without_locks_gets_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    said: list[str] = []
    with run_lock.held(tmp_path, said.append):
        pass
    assert said == [
        f"{tmp_path}: this file system has no locks (No locks available): "
        "make sure that no other run writes there"
    ]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["removed", "emptied", "cut"])
def test_a_run_whose_results_are_taken_away_ends_with_an_error(
    how: str, trial: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ("--set", "searcher.max_length.batches=5000", "--set", "min_checkpoint_period=null")
    with running(trial, out, *arguments) as run:
        os.kill(run.pid, signal.SIGSTOP)
        if how == "removed":
            shutil.rmtree(out)
        elif how == "emptied":
            for path in out.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        else:
            os.truncate(out / "metrics.jsonl", 0)
        os.kill(run.pid, signal.SIGCONT)
        _, errors = run.communicate()

    assert run.returncode == 2
    said = "cut" if how == "cut" else "removed or replaced"
    assert f"{out / 'metrics.jsonl'}: was {said} while the run wrote it" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("how", ["deleted", "cut"])
def test_reports_that_are_missing_are_told_before_a_resume(how: str, tmp_path: Path) -> None:
    training.run(Trial, tmp_path, training.config(10, scheduling_unit=5))
    log = tmp_path / "metrics.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.unlink() if how == "deleted" else log.write_text(lines[0])
    longer = training.config(20, scheduling_unit=5)

    said = rf"metrics.jsonl: holds {0 if how == 'deleted' else 1} reports, .* knows of 2"
    with pytest.raises(ConfigError, match=said):
        training.run(Trial, tmp_path, longer, resume=True)
    forced = training.run(Trial, tmp_path, longer, resume=True, force=True)

    assert forced.checkpoints == [10, 20]
    assert [report["batches"] for report in forced.reports][-2:] == [20, 20]


@pytest.mark.parametrize(
    ("out", "files"),
    [("runs/iris", {"runs/.gitignore": b"*\n"}), ("mine/iris", {}), ("runs", {})],
)
def test_git_ignores_the_runs_directory_that_a_run_makes(
    out: str, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with run_lock.held(tmp_path / out, print):
        (tmp_path / out / LOCK).read_text()

    assert read_tree(tmp_path) == files


def test_a_runs_directory_of_the_user_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_tree(tmp_path, {"runs/notes.txt": "mine\n"}))

    with run_lock.held(Path("runs/iris"), print):
        pass

    assert read_tree(tmp_path) == {"runs/notes.txt": b"mine\n"}
