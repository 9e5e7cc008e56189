"""The models and data that are measured, the same for every way of training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

BATCH = 32
#: Batches of validation data.
VALIDATION = 50


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Attributes:
        layers: makes the layers of the model.
        shape: the shape of one record.
        classes: the number of classes.
        form: what the loader returns: tuple, sequence or dataset.
        period: batches of training data, and between two marks of the clock.
        is_saved: whether every period ends with a validation and a checkpoint.
    """

    layers: Callable[[], list[Any]]
    shape: tuple[int, ...]
    classes: int
    form: str
    period: int = 500
    is_saved: bool = False


class Batches(tf.keras.utils.Sequence):
    """A Sequence of batches cut from arrays."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __len__(self) -> int:
        return len(self.x) // BATCH

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        part = slice(index * BATCH, (index + 1) * BATCH)
        return self.x[part], self.y[part]


def _iris() -> list[Any]:
    dense = tf.keras.layers.Dense
    return [
        dense(10, activation="relu", input_shape=(4,)),
        dense(10, activation="relu"),
        dense(3, activation="softmax"),
    ]


def _digits() -> list[Any]:
    dense = tf.keras.layers.Dense
    return [dense(128, activation="relu", input_shape=(784,)), dense(10, activation="softmax")]


def _cnn() -> list[Any]:
    return [
        tf.keras.layers.Conv2D(32, 3, activation="relu", input_shape=(28, 28, 1)),
        tf.keras.layers.Conv2D(64, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(128, activation="relu"),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]


CASES = {
    "iris-tuple": Case(_iris, (4,), 3, "tuple"),
    "iris-sequence": Case(_iris, (4,), 3, "sequence"),
    "iris-dataset": Case(_iris, (4,), 3, "dataset"),
    "digits-tuple": Case(_digits, (784,), 10, "tuple"),
    "digits-sequence": Case(_digits, (784,), 10, "sequence"),
    "digits-dataset": Case(_digits, (784,), 10, "dataset"),
    "digits-saved": Case(_digits, (784,), 10, "tuple", is_saved=True),
    "cnn-tuple": Case(_cnn, (28, 28, 1), 10, "tuple", period=30),
}


def arrays(case: Case, batches: int) -> tuple[Any, Any]:
    """Return records and their classes."""
    random = np.random.RandomState(0)
    x = random.random_sample((BATCH * batches, *case.shape)).astype("float32")
    return x, random.randint(0, case.classes, len(x))


def training_data(case: Case) -> Any:
    """Return the training data in the form of the case."""
    x, y = arrays(case, case.period)
    if case.form == "sequence":
        return Batches(x, y)
    if case.form == "dataset":
        return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
    return x, y


def compiled(model: Any, wrap_optimizer: Callable[[Any], Any] = lambda optimizer: optimizer) -> Any:
    """Compile a model as every way of training does."""
    optimizer = wrap_optimizer(tf.keras.optimizers.legacy.SGD(0.01))
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model
