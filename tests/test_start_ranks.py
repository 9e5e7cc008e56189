"""``pedl2det run --slots``: starting the ranks, and what becomes of their failures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pedl2det_runtime.distributed.horovodrun_output import Failure, Outcome, restart_allowed
from support import heed_signals, pedl2det, write_tree
from test_run import weights

TRIAL = """\
import os
import signal

import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, callbacks

MODE = os.environ.get("MODE")
X = np.arange(60, dtype=np.float32).reshape(20, 3) / 60


class Trouble(tf.keras.callbacks.Callback):
    def __init__(self, context):
        super().__init__()
        self.context, self.batches = context, 0

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1
        if self.context.distributed.get_rank() != 1 or self.context.get_initial_batch() > 0:
            return
        if MODE == "kill" and self.batches == 25:
            os.kill(os.getpid(), signal.SIGKILL)
        if MODE == "raise" and self.batches == 25:
            raise ValueError("no such record\\nin shard 7")
        if MODE == "wait":
            print("waiting", flush=True)
            signal.pause()


class T(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        layers = [tf.keras.layers.Dense(4), tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        model.compile("adam", "mse")
        return model

    def build_training_data_loader(self):
        return X, X.sum(axis=1, keepdims=True)

    build_validation_data_loader = build_training_data_loader

    def keras_callbacks(self):
        return [Trouble(self.context)]
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4}
resources: {slots_per_trial: 2}
scheduling_unit: 10
min_checkpoint_period: {batches: 10}
searcher: {name: single, metric: val_loss, max_length: {batches: 40}}
"""


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "trial", {"model_def.py": TRIAL, "const.yaml": CONFIG})


def processes_of(out: Path) -> list[int]:
    """The processes whose command line names a results directory."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(out).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


needs_horovod = pytest.mark.skipif(
    not Path(sys.executable).with_name("horovodrun").exists(), reason="Horovod is not installed"
)


@needs_horovod
@pytest.mark.slow
@pytest.mark.ranks
@pytest.mark.kills
@pytest.mark.turns(3, "stops of ranks")
def test_a_killed_rank_is_started_again_and_the_run_ends_the_same(
    trial: Path, tmp_path: Path
) -> None:
    undisturbed = pedl2det("run", trial, "--out", tmp_path / "undisturbed", fresh=True)
    killed = pedl2det("run", trial, "--out", tmp_path / "killed", fresh=True, MODE="kill")

    assert (undisturbed.returncode, killed.returncode) == (0, 0), killed.stderr
    said = "pedl2det: rank 1 failed: it was killed by signal SIGKILL"
    assert said in killed.stderr
    assert "[0] resumed at batch 20" in killed.stdout
    assert weights(tmp_path / "killed") == weights(tmp_path / "undisturbed")
    lines = [(tmp_path / name / "metrics.jsonl").read_text() for name in ("killed", "undisturbed")]
    assert lines[0] == lines[1]


@needs_horovod
@pytest.mark.slow
@pytest.mark.ranks
def test_the_error_of_the_first_rank_to_fail_is_told_last_and_whole(
    trial: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = pedl2det("run", trial, "--out", out, "--set", "max_restarts=0", fresh=True, MODE="raise")

    assert done.returncode == 2
    last = done.stderr[done.stderr.index("pedl2det: ") :]
    assert last.startswith("pedl2det: rank 1 of 2 failed first: ")
    assert "ValueError: no such record\nin shard 7\n" in last
    assert last.rstrip().endswith("model_def.py:24: train T: ValueError: no such record")
    assert done.stderr.count("Traceback") == 1
    assert not processes_of(out)


@needs_horovod
@pytest.mark.slow
@pytest.mark.ranks
@pytest.mark.kills
@pytest.mark.turns(3)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_ranks_end_with_the_command(how: signal.Signals, trial: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    running = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "run", trial, "--out", out],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MODE": "wait"},
        preexec_fn=heed_signals,
    )
    assert running.stdout
    for line in running.stdout:
        if line == "[1] waiting\n":
            break
    assert len(processes_of(out)) > 3
    running.send_signal(how)
    if how is not signal.SIGKILL:
        time.sleep(1)
        assert running.poll() is None  # the ranks are to finish their batch
        running.send_signal(how)

    assert running.wait(60) == (-signal.SIGKILL if how is signal.SIGKILL else 128 + how)
    until = time.monotonic() + 30
    while processes_of(out) and time.monotonic() < until:
        time.sleep(0.2)
    assert not processes_of(out)


@needs_horovod
@pytest.mark.slow
@pytest.mark.ranks
@pytest.mark.kills
@pytest.mark.turns(3, "stops of ranks")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_ranks_stop_at_one_batch_and_go_on_from_it(
    how: signal.Signals, trial: Path, tmp_path: Path
) -> None:
    long = ("searcher.max_length.batches=400", "min_checkpoint_period.batches=100")
    longer = [part for setting in long for part in ("--set", setting)]
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert pedl2det("run", trial, "--out", whole, *longer, fresh=True).returncode == 0
    running = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "run", trial, "--out", broken, *longer],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )
    log = broken / "metrics.jsonl"
    while not (log.exists() and log.read_bytes().count(b"\n") > 20):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(how)
    _, errors = running.communicate(timeout=60)

    assert running.returncode == 128 + how
    told = [line for line in errors.splitlines() if line.startswith("pedl2det: ")]
    assert len(told) == 1
    assert told[0].startswith(f"pedl2det: stopped by {how.name}; go on with: pedl2det run ")
    assert not processes_of(broken)
    done = pedl2det("run", trial, "--out", broken, *longer, "--resume", fresh=True)
    assert "[0] resumed at batch" in done.stdout
    assert weights(broken) == weights(whole)
    assert (broken / "metrics.jsonl").read_text() == (whole / "metrics.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--hosts", "one,two:2"), "--hosts one,two:2: 'one': expected NAME:SLOTS"),
        (("--hosts", "one:2", "--slots", "3"), "they have 2 slots, --slots asks for 3"),
        (("--set", "max_restarts=some"), "max_restarts: expected a whole number, 0 or more"),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(
    arguments: tuple[str, ...], said: str, trial: Path, tmp_path: Path
) -> None:
    done = pedl2det("run", trial, "--out", tmp_path / "out", *arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_results_of_another_run_are_not_overwritten(trial: Path, tmp_path: Path) -> None:
    report = '{"kind": "training", "batches": 7, "epochs": 1.4, "metrics": {"loss": 0.5}}\n'
    write_tree(tmp_path / "out", {"metrics.jsonl": report})
    done = pedl2det("run", trial, "--out", tmp_path / "out")

    assert done.returncode == 2
    assert "holds the results of a run" in done.stderr


# Who failed first.


def outcome(*lines: str) -> Outcome:
    """What is known after ``horovodrun`` has printed some lines."""
    heard = Outcome(lambda *_: None)
    for line in lines:
        heard.hear(line)
    return heard


def failed(rank: int, kind: str, message: str = "m") -> str:
    """The line with which a rank says why it ends."""
    told = json.dumps({"kind": kind, "message": message})
    return f"[{rank}]<stderr>:@pedl2det-failure {told}"


def test_a_killed_rank_is_no_stop_also_where_the_others_heard_a_signal() -> None:
    stopped = json.dumps({"kind": "Interrupted", "message": "m", "details": "15"})
    lines = (f"[0]<stderr>:@pedl2det-failure {stopped}", "Process 0 exit with status code 143.")
    heard = outcome(*lines, "Process 1 exit with status code 137.")

    assert outcome(*lines).stopped_by == 15
    assert heard.stopped_by is None
    assert heard.first_failure()[0] == 1


def test_a_rank_that_only_lost_another_is_not_the_first() -> None:
    heard = outcome(
        failed(0, "RankLostError"),
        "Process 0 exit with status code 2.",
        "Process 1 exit with status code 137.",
    )
    rank, failure = heard.first_failure()
    assert (rank, failure.kind) == (1, "Killed")
    assert "SIGKILL" in failure.message


def test_a_rank_that_horovodrun_ended_is_not_the_first() -> None:
    heard = outcome(
        "Process 0 exit with status code 143.",
        failed(1, "ConfigError", "config.yaml:3: wrong"),
        "Process 1 exit with status code 2.",
    )
    assert heard.first_failure() == (1, Failure("ConfigError", "config.yaml:3: wrong"))


def test_a_rank_that_could_not_say_why_is_quoted() -> None:
    heard = outcome(
        "[1]<stderr>:Traceback", "[1]<stderr>:  boom", "Process 1 exit with status code 3."
    )
    assert heard.first_failure() == (
        1,
        Failure("Crashed", "it exited with code 3", "Traceback\n  boom"),
    )


def test_horovodrun_itself_may_fail() -> None:
    rank, failure = outcome("ssh: could not resolve host h2").first_failure()
    assert (rank, failure.details) == (None, "ssh: could not resolve host h2")


@pytest.mark.parametrize(
    ("kind", "before", "passes"),
    [
        ("Killed", None, True),
        ("Killed", "Killed", True),
        ("RankLostError", None, True),
        ("TrialCodeError", None, True),
        ("TrialCodeError", "TrialCodeError", False),
        ("CheckFailedError", None, False),
    ],
)
def test_what_may_pass_is_tried_again(kind: str, before: str | None, passes: bool) -> None:
    last = Failure(before, "m") if before else None
    assert restart_allowed(Failure(kind, "m"), last) is passes
