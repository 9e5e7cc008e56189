"""Costs that must not grow.

That of a checkpoint with the size of the data, of a batch with the length of the run, and of a file
with the size of the repository.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from comparison import Comparison, Used, in_turns, used
from tree import migrated_in

TRIAL = """\
import os
import numpy as np
import tensorflow as tf
from clock import Clock
from determined.keras import TFKerasTrial, callbacks


class Data(tf.keras.utils.Sequence):
    def __init__(self, megabytes):
        self.x = np.ones((megabytes * 2**20 // 64, 16), "float32")

    def __len__(self):
        return 1024

    def __getitem__(self, index):
        return self.x[index * 32 : index * 32 + 32], np.zeros(32)


class Marks(callbacks.Callback):
    def __init__(self, clock):
        self.clock = clock

    def on_train_workload_end(self, total_batches_trained, logs):
        self.clock.mark()


class Trial(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        layers = [tf.keras.layers.Dense(8, input_shape=(16,)), tf.keras.layers.Dense(1)]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        optimizer = self.context.wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
        model.compile(optimizer, "mse")
        return model

    def build_training_data_loader(self):
        return Data(self.context.get_hparam("megabytes"))

    def build_validation_data_loader(self):
        return Data(2)

    def keras_callbacks(self):
        return [Marks(Clock(self.context.get_hparam("period"), self.context.get_hparam("marks")))]
"""
CONFIG = """\
entrypoint: model_def:Trial
hyperparameters: {{global_batch_size: 32, megabytes: {megabytes}, period: {period}, marks: {marks}}}
searcher: {{name: single, metric: val_loss, max_length: {{batches: {total}}}}}
scheduling_unit: {period}
min_checkpoint_period: {{batches: {checkpoint}}}
checkpoint_policy: none
"""
SMALL, LARGE = 16, 4096  # megabytes of data
SHORT, LONG = 2_000, 40_000  # batches
FEW, MANY = 500, 2_000  # files


def measure(rounds: int) -> list[Comparison]:
    """Compare the large case with the small one."""
    return [_checkpoints(rounds), *_lengths(rounds), _files(rounds)]


def _checkpoints(rounds: int) -> Comparison:
    found = in_turns(
        {
            "large": lambda: _rate(_run(LARGE, 10, 21, checkpoint=10)),
            "small": lambda: _rate(_run(SMALL, 10, 21, checkpoint=10)),
        },
        rounds,
    )
    what = f"a checkpoint every 10 batches, {LARGE} MB of data"
    return Comparison(what, found["large"], f"{SMALL} MB", found["small"], "batches/s", 0.9)


def _lengths(rounds: int) -> Iterator[Comparison]:
    runs: dict[int, list[Used]] = {SHORT: [], LONG: []}
    for _ in range(rounds):
        for total, found in runs.items():
            found.append(_run(SMALL, 500, total // 500))
    figures: tuple[tuple[str, Callable[[Used], float], float], ...] = (
        ("batches/s", _rate, 0.9),
        ("MB", lambda run: run.megabytes, -1.05),
    )
    for unit, figure, target in figures:
        short, long = (statistics.median(map(figure, found)) for found in runs.values())
        yield Comparison(f"a run of {LONG} batches", long, f"{SHORT} batches", short, unit, target)


def _files(rounds: int) -> Comparison:
    found = in_turns(
        {"many": lambda: migrated_in(MANY) / MANY, "few": lambda: migrated_in(FEW) / FEW}, rounds
    )
    few, many = (1e6 * found[name] for name in ("few", "many"))
    return Comparison(f"migrate, {MANY} files", many, f"{FEW} files", few, "us/file", -1.1)


def _run(megabytes: int, period: int, marks: int, checkpoint: int = 10**9) -> Used:
    with tempfile.TemporaryDirectory() as scratch:
        trial = Path(scratch, "trial")
        trial.mkdir()
        (trial / "model_def.py").write_text(TRIAL)
        (trial / "clock.py").write_bytes(
            Path(__file__).with_name("trial").joinpath("clock.py").read_bytes()
        )
        settings = {"megabytes": megabytes, "period": period, "marks": marks}
        text = CONFIG.format(**settings, checkpoint=checkpoint, total=period * marks)
        (trial / "const.yaml").write_text(text)
        return used([sys.executable, "-m", "pedl2det", "run", trial, "--out", f"{scratch}/out"])


def _rate(run: Used) -> float:
    return float(re.findall(r"RATE (\S+)", run.output)[-1])
