"""Optimizers, learning rates and precision, by the arithmetic that they stand for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from promises import promise
from training import (
    Trained,
    Trial,
    building,
    by_hand,
    compiled,
    config,
    dense,
    functional,
    run,
)

pytestmark = pytest.mark.versions

optimizers = tf.keras.optimizers
SGD = optimizers.SGD


def with_optimizer(make: Any, **settings: Any) -> type[Trial]:
    return building(
        lambda trial: compiled(
            trial, functional(), optimizer=trial.context.wrap_optimizer(make()), **settings
        )
    )


def rate_of(trained: Trained) -> float:
    return float(np.asarray(trained.trial.context.model.optimizer.learning_rate))


@promise("002:115", "a schedule object counts batches of the whole trial, over a resume too")
def test_a_schedule_counts_batches(tmp_path: Path) -> None:
    def make() -> Any:
        return SGD(optimizers.schedules.PiecewiseConstantDecay([3, 5], [0.2, 0.1, 0.01]))

    run(with_optimizer(make), tmp_path, config(4))
    trained = run(with_optimizer(make), tmp_path, config(9), resume=True)
    # A boundary is the last batch of its rate.
    expected = by_hand(9, lambda batch: 0.2 if batch <= 3 else 0.1 if batch <= 5 else 0.01)
    assert trained.kernel == pytest.approx(expected, rel=1e-4)


@promise("4.6", "a LearningRateScheduler is asked at each epoch, over a resume too")
def test_a_rate_by_epoch(tmp_path: Path) -> None:
    asked = []

    def rate(epoch: int, before: float) -> float:
        asked.append((epoch, round(before, 6)))
        return 0.2 * 0.5**epoch

    class Scheduled(with_optimizer(lambda: SGD(0.1))):  # type: ignore[misc]
        def keras_callbacks(self) -> list[Any]:
            return [tf.keras.callbacks.LearningRateScheduler(rate)]

    run(Scheduled, tmp_path, config(3, records_per_epoch=8))
    trained = run(Scheduled, tmp_path, config(6, records_per_epoch=8), resume=True)
    assert asked == [(0, 0.1), (1, 0.2), (2, 0.1)]
    assert trained.kernel == pytest.approx(
        by_hand(6, lambda batch: 0.2 * 0.5 ** (batch // 2)), rel=1e-4
    )
    assert rate_of(trained) == pytest.approx(0.05)


@promise("002:115", "an optimizer that clips gradients clips them")
def test_clipped_gradients(tmp_path: Path) -> None:
    trained = run(with_optimizer(lambda: SGD(0.1, clipvalue=0.05)), tmp_path)
    assert trained.kernel == pytest.approx(by_hand(10, limit=0.05), rel=1e-4)
    assert trained.kernel != pytest.approx(by_hand(10), rel=1e-2)


class Doubling(SGD):  # type: ignore[misc]
    """An optimizer of the trial's own: takes each step twice as far, and counts them."""

    def build(self, variables: Any) -> None:
        super().build(variables)
        if not hasattr(self, "steps"):
            self.steps = self.add_variable_from_reference(variables[0], "steps")

    def update_step(self, gradient: Any, variable: Any) -> None:
        self.steps.assign_add(tf.ones_like(self.steps))
        super().update_step(2.0 * gradient, variable)


@promise("001:79", "custom objects: an optimizer and a loss of a class of one's own")
def test_an_own_optimizer(tmp_path: Path) -> None:
    class Squared(tf.keras.losses.Loss):  # type: ignore[misc]
        def call(self, y: Any, p: Any) -> Any:
            return tf.reduce_mean((y - p) ** 2, axis=-1)

    def trial() -> type[Trial]:
        return with_optimizer(lambda: Doubling(0.05), loss=Squared())

    run(trial(), tmp_path, config(4))
    trained = run(trial(), tmp_path, config(10), resume=True)
    assert trained.kernel == pytest.approx(by_hand(10), rel=1e-4)
    assert float(trained.trial.context.model.optimizer.steps[0, 0]) == 20  # kernel and bias


@promise("4.12", "compile without an optimizer means that of Keras, RMSprop")
def test_the_optimizer_of_compile(tmp_path: Path) -> None:
    def nameless(trial: Any) -> Any:
        model = trial.context.wrap_model(functional())
        model.compile(loss="mse")
        return model

    default = run(building(nameless), tmp_path / "default")
    named = run(with_optimizer(lambda: optimizers.RMSprop()), tmp_path / "named")
    assert default.weights == named.weights


@promise("002:115", "an optimizer that is not wrapped trains as one that is")
def test_an_unwrapped_optimizer(tmp_path: Path) -> None:
    bare = building(lambda trial: compiled(trial, functional(), optimizer=optimizers.Adam(0.1)))
    wrapped = with_optimizer(lambda: optimizers.Adam(0.1))
    assert run(bare, tmp_path / "bare").weights == run(wrapped, tmp_path / "wrapped").weights


@promise("001:81", "mixed precision: float32 weights and a loss scale, which go on after a resume")
def test_mixed_precision(tmp_path: Path) -> None:
    def make(trial: Any) -> Any:
        model = tf.keras.Sequential([tf.keras.Input((3,)), dense(dtype="mixed_float16")])
        optimizer = trial.context.wrap_optimizer(optimizers.Adam(0.01))
        return compiled(trial, model, optimizer=optimizer)

    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        whole = run(building(make), tmp_path / "whole", config(9))
        run(building(make), tmp_path / "parts", config(4))
        parts = run(building(make), tmp_path / "parts", config(9), resume=True)
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    model = parts.trial.context.model
    assert parts.weights == whole.weights
    assert [weight.dtype for weight in model.get_weights()] == ["float32", "float32"]
    assert isinstance(model.optimizer, tf.keras.mixed_precision.LossScaleOptimizer)
    for name in ("loss_scale", "dynamic_counter"):
        scales = [getattr(t.trial.context.model.optimizer, name) for t in (whole, parts)]
        assert float(scales[0]) == float(scales[1])


@promise(
    "config", "optimizations.aggregation_frequency is of several processes: one steps each batch"
)
def test_one_process_steps_each_batch(tmp_path: Path) -> None:
    given = config(10, optimizations={"aggregation_frequency": 4})
    trained = run(with_optimizer(lambda: SGD(0.1)), tmp_path, given)
    assert trained.kernel == pytest.approx(by_hand(10), rel=1e-4)
