"""What a resumed run goes on with, and what it refuses (docs/semantics.md, Resume)."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import load_model_from_checkpoint_path

from pedl2det_runtime.errors import CheckpointError
from promises import promise
from training import Trial, X, Y, building, compiled, config, dense, functional, run

pytestmark = pytest.mark.versions

layers = tf.keras.layers


def everything(trial: Any) -> Any:
    """A model whose training draws, averages and adapts."""
    parts = [layers.Dense(4), layers.BatchNormalization(), layers.Dropout(0.3), dense()]
    return compiled(
        trial,
        tf.keras.Sequential([tf.keras.Input((3,)), *parts]),
        optimizer=tf.keras.optimizers.Adam(0.05),
        metrics=["mae"],
    )


class Everything(Trial):
    def build_model(self) -> Any:
        return everything(self)


@promise("DESIGN 8", "random, NumPy and TensorFlow draw on after a resume as if nothing had been")
def test_generators_go_on(tmp_path: Path) -> None:
    drawn: list[tuple[float, ...]] = []

    class Draw(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            generator = tf.random.get_global_generator()
            drawn.append((random.random(), np.random.rand(), float(generator.uniform(()))))

    class Drawing(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Draw()]

    run(Drawing, tmp_path / "whole", config(6))
    whole, drawn[:] = drawn[:], []
    run(Drawing, tmp_path / "parts", config(4))
    random.seed(9)
    np.random.seed(9)
    run(Drawing, tmp_path / "parts", config(6), resume=True)
    assert drawn == whole
    assert len(set(whole)) == 6


@promise("DESIGN 8", "a run in many parts ends as one in one part: weights, reports, checkpoints")
def test_many_parts(tmp_path: Path) -> None:
    given: dict[str, Any] = {"min_validation_period": {"batches": 3}, "checkpoint_policy": "all"}
    whole = run(Everything, tmp_path / "whole", config(9, **given), trace=True)
    for number, end in enumerate((3, 6, 9)):
        # The parts end where the whole run has a checkpoint too.
        parts = run(
            Everything, tmp_path / "parts", config(end, **given), resume=number > 0, trace=True
        )
    assert parts.weights == whole.weights
    assert parts.batches == whole.batches
    assert parts.validated() == whole.validated()
    assert parts.checkpoints == whole.checkpoints


@promise("4.6", "a plain Keras callback goes on with the attributes that it had")
def test_a_plain_callback_goes_on(tmp_path: Path) -> None:
    seen = []

    class Counting(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.count, self.losses = 0, []

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.count += 1
            self.losses.append(logs["loss"])
            seen.append((self.count, len(self.losses)))

    class Counted(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Counting()]

    run(Counted, tmp_path, config(3))
    run(Counted, tmp_path, config(5), resume=True)
    assert seen == [(n, n) for n in range(1, 6)]


@promise("DESIGN 8", "the resume of a run that is over trains nothing, and changes no result")
def test_nothing_is_left(tmp_path: Path) -> None:
    called = []

    class Noting(Trial):
        def keras_callbacks(self) -> list[Any]:
            note = tf.keras.callbacks.LambdaCallback(
                on_train_begin=lambda _: called.append("begin"),
                on_train_batch_end=lambda *_: called.append("batch"),
                on_train_end=lambda _: called.append("end"),
            )
            return [note]

    first = run(Noting, tmp_path, config(3))
    before = first.weights, first.reports, first.checkpoints
    called.clear()
    again = run(Noting, tmp_path, config(3), resume=True)
    assert (again.weights, again.reports, again.checkpoints) == before
    assert called == ["begin", "end"]


@promise("001:81", "a checkpoint of another model is refused, with its file and the difference")
@pytest.mark.parametrize("other", [lambda: dense(name="other"), lambda: layers.Dense(2)])
def test_another_model(other: Any, tmp_path: Path) -> None:
    run(building(lambda trial: compiled(trial, functional())), tmp_path, config(2))

    def make(trial: Any) -> Any:
        inputs = tf.keras.Input((3,))
        return compiled(trial, tf.keras.Model(inputs, dense()(other()(inputs))))

    with pytest.raises(CheckpointError, match=r"\.h5: it does not fit this model: "):
        run(building(make), tmp_path, config(4), resume=True)


@promise("001:81", "a checkpoint of another optimizer is refused before anything is trained")
def test_another_optimizer(tmp_path: Path) -> None:
    run(building(lambda trial: compiled(trial, functional())), tmp_path, config(2))
    adam = tf.keras.optimizers.Adam
    other = building(lambda trial: compiled(trial, functional(), optimizer=adam(0.1)))
    with pytest.raises(CheckpointError, match=r"optimizer.*SGD.*Adam"):
        run(other, tmp_path, config(4), resume=True)


@promise("002:325", "the loaded model predicts and evaluates as the trained one, to the last bit")
def test_a_loaded_model_predicts(tmp_path: Path) -> None:
    trained = run(Everything, tmp_path)
    model = trained.trial.context.model
    loaded = load_model_from_checkpoint_path(str(trained.checkpoint))
    assert np.array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    assert loaded.evaluate(X, Y, batch_size=4, verbose=0, return_dict=True) == {
        name.removeprefix("val_"): value for name, value in trained.reports[-1]["metrics"].items()
    }


@promise("002:325", "load_model_from_checkpoint_path takes tags=, which mean nothing for Keras")
def test_tags(tmp_path: Path) -> None:
    checkpoint = run(Trial, tmp_path).checkpoint
    models = [load_model_from_checkpoint_path(checkpoint, tags=tags) for tags in (None, ["serve"])]
    assert np.array_equal(models[0].get_weights()[0], models[1].get_weights()[0])
