"""Training without a harness: ``python plain.py CASE MARKS fit|fit-100|raw DIRECTORY``."""

from __future__ import annotations

import sys
from typing import Any

import tensorflow as tf
from cases import BATCH, CASES, VALIDATION, Case, arrays, compiled, training_data
from clock import Clock


class Marks(tf.keras.callbacks.Callback):
    """Marks the end of every epoch."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self._clock = clock

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self._clock.mark()


def fit(case: Case, marks: int, directory: str, chunk: int) -> None:
    """Train with ``model.fit``, ``chunk`` batches an execution."""
    model = compiled(tf.keras.Sequential(case.layers()))
    model.steps_per_execution = chunk
    data = training_data(case)
    given = {"x": data}
    if case.form == "tuple":
        given = {"x": data[0], "y": data[1], "batch_size": BATCH}
    callbacks: list[Any] = []
    if case.is_saved:
        given |= {"validation_data": arrays(case, VALIDATION), "validation_batch_size": BATCH}
        callbacks.append(tf.keras.callbacks.ModelCheckpoint(f"{directory}/{{epoch}}.h5"))
    callbacks.append(Marks(Clock(case.period, marks)))
    model.fit(**given, epochs=marks, verbose=0, shuffle=False, callbacks=callbacks)


def raw(case: Case, marks: int) -> None:
    """Train with a loop of TensorFlow over 100 batches an execution, without ``model.fit``."""
    model = compiled(tf.keras.Sequential(case.layers()))
    data = tf.data.Dataset.from_tensor_slices(arrays(case, case.period)).batch(BATCH)
    batches = iter(data.repeat().prefetch(2))

    chunk = min(100, case.period)

    @tf.function
    def train() -> None:
        for _ in tf.range(chunk):
            model.train_step(next(batches))

    clock = Clock(case.period, marks)
    for _ in range(marks):
        for _ in range(case.period // chunk):
            train()
        clock.mark()


if __name__ == "__main__":
    name, marks, way, directory = sys.argv[1:]
    case = CASES[name]
    if way == "raw":
        raw(case, int(marks))
    else:
        fit(case, int(marks), directory, {"fit": 1, "fit-100": 100}[way])
