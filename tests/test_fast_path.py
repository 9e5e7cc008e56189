"""Batches in stacks and executions of many batches train what batches one by one train."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import TFKerasTrial, callbacks

from training import Trial, config, run

RANDOM = np.random.RandomState(0)
X = RANDOM.random_sample((22, 3)).astype("float32")  # 5 batches of 4, and one of 2
Y = X.sum(axis=1, keepdims=True)


class Drawing(tf.keras.utils.Sequence):
    """Batches of two sizes with random noise, in a random order of its own."""

    def __init__(self) -> None:
        self.order = np.arange(6)

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        rows = slice(self.order[index] * 4, self.order[index] * 4 + 4)
        return X[rows] + np.random.normal(size=X[rows].shape), Y[rows]

    def on_epoch_end(self) -> None:
        np.random.shuffle(self.order)


class EachBatch(tf.keras.callbacks.Callback):
    """Makes the training stop at each batch."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        pass

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        pass


class Doubling(callbacks.Callback):
    """Changes the arrays of the trial in place after each workload."""

    def on_train_workload_end(self, total_batches_trained: int, logs: Any) -> None:
        x = Trial.last.arrays[0]  # type: ignore[attr-defined]
        x *= -1.5


class Changed(Trial):
    """Trains on arrays that a callback changes."""

    def build_training_data_loader(self) -> Any:
        self.arrays = X.copy(), Y
        return self.arrays

    build_validation_data_loader = build_training_data_loader

    def keras_callbacks(self) -> list[Any]:
        return [Doubling()]


class Shuffled(Trial):
    """Trains on arrays in a random order of batches, the last of which is smaller."""

    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(shuffle=True)
        return X.astype("float64"), Y

    def build_validation_data_loader(self) -> Any:
        return X, Y


class Sequences(Trial):
    """Trains and validates on a Sequence that draws."""

    workers = 1

    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(shuffle=True, workers=self.workers)
        return Drawing()

    def build_validation_data_loader(self) -> Any:
        return Drawing()


class InPlace(Sequences):
    """The same without workers."""

    workers = 0


GIVEN = config(
    33,
    scheduling_unit=7,
    min_validation_period={"batches": 7},
    min_checkpoint_period={"batches": 7},
)


@pytest.mark.parametrize("kind", [Changed, Shuffled, Sequences, InPlace])
def test_the_fast_path_trains_the_same(kind: type[TFKerasTrial], tmp_path: Path) -> None:
    class OneByOne(kind):  # type: ignore[misc, valid-type]
        def keras_callbacks(self) -> list[Any]:
            return [*super().keras_callbacks(), EachBatch()]

    fast, plain = (run(one, tmp_path / one.__name__, GIVEN) for one in (kind, OneByOne))

    assert fast.weights == plain.weights
    assert fast.reports == plain.reports
    assert len(fast.reports) > 8


def test_a_step_may_report_what_has_no_known_rank(tmp_path: Path) -> None:
    class Reporting(tf.keras.Sequential):  # type: ignore[misc]
        def train_step(self, data: Any) -> Any:
            return {**super().train_step(data), "seven": tf.py_function(float, [7.0], tf.float32)}

    class Reports(Trial):
        def build_model(self) -> Any:
            model = self.context.wrap_model(Reporting([tf.keras.layers.Dense(1)]))
            model.compile("sgd", "mse")
            return model

    assert run(Reports, tmp_path, config(6)).reports[0]["metrics"]["seven"] == 7


def test_callbacks_may_predict_on_one_batch(tmp_path: Path) -> None:
    shapes = []

    class Predicting(callbacks.Callback):
        def on_train_workload_begin(self, *_: Any) -> None:
            self._predict()

        def on_validation_end(self, *_: Any) -> None:
            self._predict()

        def on_train_workload_end(self, *_: Any) -> None:
            self._predict()

        def _predict(self) -> None:
            shapes.append(self.model.predict_on_batch(X[:4]).shape)

    class Predicts(Changed):
        def keras_callbacks(self) -> list[Any]:
            return [Predicting()]

    reports = run(Predicts, tmp_path, GIVEN).reports

    assert len(reports) > 8
    assert {*shapes} == {(4, 1)}
