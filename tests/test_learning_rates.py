"""`--trace` writes the learning rate with which each batch was trained, in both modes of Keras."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from support import pedl2det, write_tree
from training import building, compiled, config, functional, run

pytestmark = pytest.mark.slow


def rates(out: Path) -> list[dict[str, float]]:
    lines = (out / "batches.jsonl").read_text().splitlines()
    return [json.loads(line)["learning_rates"] for line in lines]


def traced(optimizer: Any, out: Path, *callbacks: Any) -> list[dict[str, float]]:
    trial = building(lambda trial: compiled(trial, functional(), optimizer=optimizer()))
    trial.keras_callbacks = lambda _: list(callbacks)
    return rates(run(trial, out, config(3), trace=True).out)


class Halving(tf.keras.callbacks.Callback):
    """Halves the learning rate after each batch."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        rate = self.model.optimizer.learning_rate
        rate.assign(rate / 2)


@pytest.mark.parametrize("kind", [tf.keras.optimizers.SGD, tf.keras.optimizers.legacy.SGD])
def test_a_rate_is_that_with_which_the_batch_was_trained(kind: Any, tmp_path: Path) -> None:
    found = traced(lambda: kind(0.5), tmp_path / "out", Halving())

    assert found == [{"optimizer": 0.5}, {"optimizer": 0.25}, {"optimizer": 0.125}]


def test_a_schedule_and_a_decay_are_evaluated(tmp_path: Path) -> None:
    schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1], [0.5, 0.25])
    stepped = [{"optimizer": 0.5}, {"optimizer": 0.5}, {"optimizer": 0.25}]
    decayed = [{"optimizer": 1.0}, {"optimizer": 0.5}, {"optimizer": 1 / 3}]

    for number, kind in enumerate((tf.keras.optimizers.SGD, tf.keras.optimizers.legacy.SGD)):
        assert traced(lambda kind=kind: kind(schedule), tmp_path / str(number)) == stepped
    old = tf.keras.optimizers.legacy.SGD
    assert traced(lambda: old(1.0, decay=1.0), tmp_path / "decay") == decayed


def test_a_rate_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    class Held(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __init__(self) -> None:
            self.rate = tf.Variable(0.5)

        def __call__(self, step: Any) -> Any:
            return tf.identity(self.rate)

        def get_config(self) -> dict[str, Any]:
            return {}

    found = traced(lambda: tf.keras.optimizers.legacy.SGD(Held()), tmp_path / "out")

    assert found == [{}, {}, {}]


GRAPH = """\
import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial

tf.compat.v1.disable_eager_execution()
X = np.ones((12, 3), np.float32)
SCHEDULE = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1.0], [0.5, 0.25])


class Halving(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        backend = tf.keras.backend
        rate = self.model.optimizer.lr
        if hasattr(rate, "assign"):
            backend.set_value(rate, backend.get_value(rate) / 2)


class T(TFKerasTrial):
    def build_training_data_loader(self):
        return X, X

    build_validation_data_loader = build_training_data_loader

    def keras_callbacks(self):
        return [Halving()]

    def build_model(self):
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(3,))])
        model = self.context.wrap_model(model)
        model.compile(OPTIMIZER, "mse")
        return model
"""
CONFIG = """\
entrypoint: model_def:T
hyperparameters: {global_batch_size: 4}
searcher: {name: single, metric: val_loss, max_length: {batches: 3}}
"""


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        ("tf.keras.optimizers.SGD(SCHEDULE)", [0.5, 0.5, 0.25]),
        ("tf.keras.optimizers.SGD(1.0, decay=1.0)", [1.0, 0.25, 0.25 / 3]),
    ],
)
def test_rates_are_read_in_graph_mode(
    optimizer: str, expected: list[float], tmp_path: Path
) -> None:
    files = {"model_def.py": GRAPH.replace("OPTIMIZER", optimizer), "const.yaml": CONFIG}
    out = tmp_path / "out"

    done = pedl2det("run", write_tree(tmp_path / "trial", files), "--out", out, "--trace")

    assert done.returncode == 0, done.stderr
    assert [one["optimizer"] for one in rates(out)] == pytest.approx(expected)
