"""SIGTERM and Ctrl-C end a run after a checkpoint, from which it goes on as if nothing had been."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import training
from support import EXAMPLES, heed_signals, pedl2det, start, write_tree
from test_resume import HEAD, OWN_GENERATOR, PLAIN_KERAS_CALLBACK
from test_run import CONFIG, MODEL, SMALL, reports, trained, weights
from trained_examples import trained_example

pytestmark = [pytest.mark.slow, pytest.mark.kills]

LONGER = ("--set", "searcher.max_length.batches=600")
IN_PROCESSES = OWN_GENERATOR.replace("workers=3", "workers=2, use_multiprocessing=True").replace(
    "self.random.normal(", "np.random.normal("
)
DATASET = (
    HEAD
    + """
    def build_training_data_loader(self):
        x = tf.random.uniform((40, 3), seed=1)
        dataset = self.context.wrap_dataset(
            tf.data.Dataset.from_tensor_slices((x, tf.reduce_sum(x, axis=1, keepdims=True)))
        )
        self.validation = dataset.batch(8)
        return dataset.shuffle(40).batch(8)

    def build_validation_data_loader(self):
        return self.validation
"""
)
SLOW = (
    HEAD
    + """
    def build_training_data_loader(self):
        self.context.configure_fit(workers=WORKERS, use_multiprocessing=True, max_queue_size=2)
        return Rows(0.1)

    def build_validation_data_loader(self):
        return Rows(SECONDS)


class Rows(tf.keras.utils.Sequence):
    def __init__(self, seconds):
        self.seconds = seconds

    def __len__(self):
        return 50

    def __getitem__(self, index):
        import os, time
        print(f"batch {os.getpid()} {self.seconds}\\n", end="", flush=True)  # in one piece
        time.sleep(self.seconds)
        x = np.random.random((8, 3))
        return x, x.sum(axis=1)
"""
)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def stopped(directory: Path, out: Path, reached: int, number: int, *arguments: str) -> str:
    """Send a signal when there are so many reports; returns what was said on stderr."""
    process = start(["run", str(directory), "--out", str(out), *arguments], None, {**os.environ})
    while process.poll() is None and lines(out / "metrics.jsonl") < reached:
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()
    time.sleep(0.03)  # somewhere within a workload
    os.kill(process.pid, number)
    _, errors = process.communicate()
    assert process.returncode == 128 + number, errors
    return errors


@pytest.mark.turns(5, "stops")
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(MODEL, id="arrays"),
        pytest.param(OWN_GENERATOR, id="threads that draw"),
        pytest.param(IN_PROCESSES, id="processes"),
        pytest.param(DATASET, id="a shuffled dataset"),
        pytest.param(PLAIN_KERAS_CALLBACK, id="a callback that counts"),
    ],
)
def test_a_stopped_run_goes_on_as_if_it_had_not_been(model: str, tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", {"model_def.py": model, "const.yaml": CONFIG})
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    trained(directory, whole, *LONGER)

    resumed_at = []
    for reached, more in ((8, ()), (24, ("--resume",))):
        said = stopped(directory, broken, reached, signal.SIGTERM, *LONGER, *more)
        assert said.rstrip().endswith(f"--out {broken} {' '.join(LONGER)} --resume")
    said = trained(directory, broken, "--resume", *LONGER)
    resumed_at += [int(found) for found in re.findall(r"resumed at batch (\d+)", said)]

    assert weights(broken) == weights(whole)
    assert reports(broken) == reports(whole)
    assert resumed_at
    steps = [path.name for path in (broken / "checkpoints").glob("[!.]*")]
    assert len(steps) >= len([*(whole / "checkpoints").glob("[!.]*")])


@pytest.mark.turns(5, "stops")
def test_an_old_trial_is_stopped_too(tmp_path: Path) -> None:
    whole, broken = trained_example("digits"), tmp_path / "broken"
    stopped(EXAMPLES / "digits", broken, 2, signal.SIGTERM)
    trained(EXAMPLES / "digits", broken, "--resume")

    assert weights(broken) == weights(whole)
    assert reports(broken) == reports(whole)


def slow(tmp_path: Path, seconds: float, workers: int = 2) -> Path:
    model = SLOW.replace("SECONDS", str(seconds)).replace("WORKERS", str(workers))
    return write_tree(tmp_path / "trial", {"model_def.py": model, "const.yaml": CONFIG})


def begun(directory: Path, out: Path, reached: int) -> subprocess.Popen[str]:
    """A run in a process of its own, when it has so many reports."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "run", str(directory), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )
    while process.poll() is None and lines(out / "metrics.jsonl") < reached:
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()
    return process


def workers_of(said: str) -> set[int]:
    return {int(line.split()[1]) for line in said.splitlines() if line.startswith("batch ")}


def alive(pids: set[int]) -> set[int]:
    """Those that have not ended within two seconds."""
    until = time.monotonic() + 2
    while (found := {pid for pid in pids if _runs(pid)}) and time.monotonic() < until:
        time.sleep(0.05)
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_validation_is_stopped_and_done_again_after_the_resume(tmp_path: Path) -> None:
    directory, out = slow(tmp_path, 0.5), tmp_path / "out"
    process = begun(directory, out, 2)  # the second workload ends with a validation
    time.sleep(1)
    process.send_signal(signal.SIGTERM)
    said, errors = process.communicate()

    assert process.returncode == 143
    assert sum(line.endswith(" 0.5") for line in said.splitlines()) < 50  # not all of them
    assert "pedl2det: stopped by SIGTERM; go on with: pedl2det run " in errors
    assert [report["batches"] for report in reports(out)] == [20, 30]
    assert workers_of(said) and not alive(workers_of(said))
    resumed = trained(directory, out, "--resume", "--max-batches", "30")
    assert "resumed at batch 30" in resumed
    assert [(report["kind"], report["batches"]) for report in reports(out)][-2:] == [
        ("training", 30),
        ("validation", 30),
    ]


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    directory, out = slow(tmp_path, 600), tmp_path / "out"
    process = begun(directory, out, 2)
    time.sleep(1)  # the validation waits for its first batch
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None
    before = time.monotonic()
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate()

    assert process.returncode == 130
    assert time.monotonic() - before < 120  # a batch of the validation takes 600
    assert workers_of(said) and not alive(workers_of(said))


def test_signals_that_come_together_are_one(tmp_path: Path) -> None:
    """Linux tells of the death of a parent once for each of its threads."""
    directory, out = slow(tmp_path, 0.1), tmp_path / "out"
    process = begun(directory, out, 1)
    time.sleep(0.3)
    for _ in range(3):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.01)
    _, errors = process.communicate()

    assert process.returncode == 143
    assert "pedl2det: stopped by SIGTERM; go on with: pedl2det run " in errors


@pytest.mark.turns(2)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("where", ["import time; time.sleep(600)\n", "while True: pass\n"])
def test_before_training_begins_it_ends_at_once(
    where: str, number: int, code: int, tmp_path: Path
) -> None:
    code_of_it = f"print('here', flush=True)\ntry:\n    {where}except BaseException: raise\n{MODEL}"
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": code_of_it})
    process = _printing(directory, tmp_path / "out")
    before = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate()

    assert process.returncode == code
    assert time.monotonic() - before < 60
    name = signal.Signals(number).name
    assert [line for line in errors.splitlines() if "pedl2det" in line] == [
        f"pedl2det: stopped by {name}; go on with: pedl2det run {directory} "
        f"--out {tmp_path / 'out'}"
    ]
    assert "Traceback" not in errors
    assert not (tmp_path / "out").exists()


def test_code_that_catches_everything_does_not_keep_it(tmp_path: Path) -> None:
    model = f"""\
import time
print("here", flush=True)
for _ in range(600):
    try:
        time.sleep(1)
    except:
        pass
{MODEL}"""
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": model})
    process = _printing(directory, tmp_path / "out")
    process.send_signal(signal.SIGTERM)
    before = time.monotonic()
    _, errors = process.communicate()

    assert process.returncode == 143
    assert time.monotonic() - before < 60
    assert "pedl2det: stopped by SIGTERM" in errors


def _printing(directory: Path, out: Path) -> subprocess.Popen[str]:
    """A run that has printed "here"."""
    process: Any = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "run", str(directory), "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_signals,
    )
    assert "here\n" in iter(process.stdout.readline, "")
    return process


def test_credentials_are_not_in_the_command_to_go_on_with(tmp_path: Path) -> None:
    directory = write_tree(tmp_path / "trial", SMALL)
    secret = ("--set", "data.password=s3cret")
    said = stopped(directory, tmp_path / "out", 2, signal.SIGTERM, *LONGER, *secret)
    assert "data.password=********" in said
    assert "s3cret" not in said


def test_processes_of_the_trials_code_end_as_ever(tmp_path: Path) -> None:
    code = """\
import multiprocessing, time
worker = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
worker.start()
worker.terminate()
worker.join(10)
print("ended by", worker.exitcode)
"""
    directory = write_tree(tmp_path / "trial", {**SMALL, "model_def.py": code + MODEL})
    done = pedl2det("run", directory, "--out", tmp_path / "out", "--test")
    assert "ended by -15" in done.stdout, done.stderr


@pytest.mark.turns(2)
@pytest.mark.parametrize("folder", ["scratch", "scratch" * 10])  # a socket's path is short
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_verify_ends_both_trainings_and_leaves_nothing(
    number: int, code: int, folder: str, tmp_path: Path
) -> None:
    scratch = tmp_path / folder
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "pedl2det", "verify", str(EXAMPLES / "iris")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        preexec_fn=heed_signals,
    )
    while process.poll() is None and not list(scratch.glob("*/results")):
        time.sleep(0.02)
    time.sleep(1)
    process.send_signal(number)
    _, errors = process.communicate()

    assert process.returncode == code, errors
    name = signal.Signals(number).name
    assert errors == f"pedl2det: stopped by {name}: nothing was proved\n"
    assert not list(scratch.iterdir())


def test_every_batch_is_trained_and_validated_however_executions_grow(tmp_path: Path) -> None:
    class Still(training.Trial):
        def build_model(self) -> Any:
            layer = tf.keras.layers.Dense(1, kernel_initializer="zeros", input_shape=(3,))
            model = self.context.wrap_model(tf.keras.Sequential([layer]))
            model.compile(tf.keras.optimizers.SGD(0.0), "mse")
            return model

        def build_training_data_loader(self) -> Any:
            return SlowAtFirst()

    class SlowAtFirst(tf.keras.utils.Sequence):
        made = 0

        def __len__(self) -> int:
            return 5

        def __getitem__(self, index: int) -> Any:
            self.made += 1
            time.sleep(0.55 if self.made <= 5 else 0)
            return training.X[:4], training.Y[:4]

    given = training.config(40, min_validation_period={"batches": 4})
    run = training.run(Still, tmp_path, given)

    assert int(run.trial.context.model.optimizer.iterations.numpy()) == 40
    expected = float(np.mean(training.Y**2))
    assert run.validated() == pytest.approx([expected] * 10)
