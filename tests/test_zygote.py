"""What the zygote forks is a process like another, and none of them outlives it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from support import pedl2det, write_tree
from zygote import QUIET, Zygote

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked here"),
]

TRIAL = """\
import os, pathlib, random, sys, time
import numpy as np
print("DRAWN", random.random(), np.random.random())
print("HERE", os.getcwd(), os.environ["ANYTHING"], sys.stdin.read() == "", sys.path[0])
pathlib.Path("pid").write_text(str(os.getpid()))
time.sleep(SECONDS)
sys.exit("it ends")
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 8}
searcher: {name: single, metric: val_loss, max_length: {batches: 60}}
"""


def trial(directory: Path, seconds: int) -> Path:
    source = TRIAL.replace("SECONDS", str(seconds))
    return write_tree(directory, {"model_def.py": source, "const.yaml": CONFIG})


def until_it_runs(directory: Path) -> int:
    """Its pid, by what it says itself."""
    deadline = time.monotonic() + 60
    while not (directory / "pid").exists() or not (directory / "pid").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int((directory / "pid").read_text())


def test_a_forked_process_is_as_one_that_was_started(
    tmp_path: Path, zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(QUIET, raising=False)  # a test that trained in this process has set it
    directory = trial(tmp_path / "trial", 0)
    environment = {**os.environ, "ANYTHING": "set"}
    assert zygote.can_serve("run", environment)
    arguments = ["run", ".", "--out", "out"]

    process = zygote.start(arguments, directory, environment)
    said, errors = process.communicate()
    alone = pedl2det(*arguments, cwd=directory, fresh=True, ANYTHING="set")

    assert (process.returncode, said, errors) == (2, alone.stdout, alone.stderr)
    assert alone.returncode == 2
    assert f"\nHERE {directory} set True " in said
    assert "model_def.py:7: " in errors


def test_it_is_killed_by_its_own_pid(tmp_path: Path, zygote: Zygote) -> None:
    directory = trial(tmp_path / "trial", 600)
    process = zygote.start(["run", "."], directory, {**os.environ, "ANYTHING": "set"})

    assert until_it_runs(directory) == process.pid
    assert process.poll() is None
    process.kill()
    assert process.wait() == -9
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


def test_nothing_outlives_the_zygote(tmp_path: Path) -> None:
    zygote = Zygote()
    directory = trial(tmp_path / "trial", 600)
    process = zygote.start(["run", "."], directory, {**os.environ, "ANYTHING": "set"})
    pid = until_it_runs(directory)

    zygote.stop()

    deadline = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert process.returncode is None


def test_what_would_start_otherwise_is_not_forked(zygote: Zygote) -> None:
    assert not zygote.can_serve("search", {**os.environ})
    assert not zygote.can_serve("run", {**os.environ, "TF_USE_LEGACY_KERAS": "0"})
    assert not zygote.can_serve("run", {**os.environ, "PYTHONHASHSEED": "1"})
