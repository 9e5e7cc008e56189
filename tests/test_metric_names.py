"""Metrics have the names that a trial of their time knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from pedl2det_legacy.keras_trials import reported_as
from pedl2det_runtime.backends.compiled_model import metric_names
from pedl2det_runtime.config.generation import (
    CONTEXT_BASED,
    EARLY_DETERMINED,
    Generation,
    Kind,
    Metrics,
)
from pedl2det_runtime.errors import InvalidModelException, MetricError
from training import Trial, config, run


@pytest.mark.parametrize(
    ("reported", "asked"),
    [
        ("val_accuracy", "val_acc"),
        ("val_acc", "val_accuracy"),
        ("val_mae", "val_mean_absolute_error"),
        ("val_mean_absolute_error", "val_mae"),
        ("val_digit_accuracy", "val_digit_acc"),
        ("left_mse", "left_mean_squared_error"),
        ("kld", "kullback_leibler_divergence"),
    ],
)
def test_an_old_trial_finds_a_metric_by_its_old_name(reported: str, asked: str) -> None:
    assert EARLY_DETERMINED.with_aliases({reported: 1.0})[asked] == 1.0
    assert asked not in CONTEXT_BASED.with_aliases({reported: 1.0})


@pytest.mark.parametrize("name", ["loss", "binary_accuracy", "val_categorical_accuracy", "macc"])
def test_other_metrics_have_one_name(name: str) -> None:
    assert EARLY_DETERMINED.with_aliases({name: 1.0}) == {name: 1.0}


def test_no_other_name_takes_the_place_of_a_metric() -> None:
    both = {"mae": 1.0, "mean_absolute_error": 2.0}
    assert EARLY_DETERMINED.with_aliases(both) == both


class Telling(tf.keras.callbacks.Callback):
    """Collects the names that each hook is told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[str, set[str]] = {}

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.told["batch"] = set(logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.told["epoch"] = set(logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        self.told["test batch"] = set(logs)

    def on_test_end(self, logs: Any = None) -> None:
        self.told["test"] = set(logs)


class Named(Trial):
    """As a ``KerasTrial`` is: its metrics have names for Keras that nobody should see."""

    told: dict[str, set[str]]

    @property
    def api_generation(self) -> Generation:
        def reported(kind: Kind, metrics: Metrics) -> Metrics:
            name = "error" if kind == "training" else "validation_error"
            return {"loss": metrics["loss"], name: metrics["internal"]}

        return replace(CONTEXT_BASED, epoch_is_one_pass=True, reported=reported)

    def build_model(self) -> Any:
        model = super().build_model()
        metric = tf.keras.metrics.MeanAbsoluteError(name="internal")
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", [metric])
        return model

    def keras_callbacks(self) -> list[Any]:
        callback = Telling()
        Named.told = callback.told
        return [callback]


def test_callbacks_are_told_the_names_of_the_reports(tmp_path: Path) -> None:
    given = config(5)
    given["searcher"]["metric"] = "validation_error"
    done = run(Named, tmp_path, given, trace=True)

    training, validation = {"loss", "error"}, {"loss", "validation_error"}
    assert Named.told == {
        "batch": training | {"batch", "size"},
        "epoch": training,
        "test batch": validation,
        "test": validation,
    }
    assert set(done.batches[0]) == training
    assert [set(report["metrics"]) for report in done.reports] == [training, validation]


class Measuring(Trial):
    """Compiles a model with the metrics of a test."""

    make: Any
    metrics: Any = ()
    callbacks: tuple[Any, ...] = ()

    def build_model(self) -> Any:
        model = self.context.wrap_model(type(self).make())
        model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=self.metrics)
        return model

    def keras_callbacks(self) -> list[Any]:
        return [make() for make in self.callbacks]


class OwnLayer(tf.keras.layers.Layer):
    """Adds a metric when it is called."""

    def call(self, x: Any) -> Any:
        self.add_metric(tf.reduce_mean(x), name="own")
        return x


class OwnStep(tf.keras.Model):
    """Reports what it likes."""

    def test_step(self, data: Any) -> Any:
        return super().test_step(data) | {"own": tf.constant(1.0)}


class Adding(tf.keras.callbacks.Callback):
    """Adds to the metrics of a validation."""

    def __init__(self) -> None:
        super().__init__()
        self._supports_tf_logs = True

    def on_test_end(self, logs: Any = None) -> None:
        logs["own"] = logs["val_own"] = 1.0


def dense(*more: Any, kind: Any = tf.keras.Model) -> Any:
    inputs = tf.keras.Input((3,))
    outputs = tf.keras.layers.Dense(1, activation="sigmoid")(inputs)
    for layer in more:
        outputs = layer(outputs)
    return kind(inputs, outputs)


def two_outputs(*, by_name: bool = False) -> Any:
    inputs = tf.keras.Input((3,))
    left, right = (tf.keras.layers.Dense(1, "sigmoid", name=name)(inputs) for name in "ab")
    model = tf.keras.Model(inputs, {"l": left, "r": right} if by_name else [left, right])
    model.add_metric(tf.reduce_mean(left), name="mean_a")
    return model


def error(y: Any, p: Any) -> Any:
    """A metric of the trial's own."""
    return abs(y - p)


@pytest.mark.parametrize(
    ("make", "metrics"),
    [
        (dense, ["ACC", "cosine_proximity", "categorical_hinge"]),
        (dense, ["acc", "mse", "AUC", "KLDivergence", "RootMeanSquaredError", error]),
        (dense, [tf.keras.metrics.AUC(name="q"), "crossentropy", tf.keras.losses.Huber()]),
        (lambda: tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))]), None),
        (two_outputs, ["accuracy", "mae"]),
        (two_outputs, {"a": ["AUC"], "b": "mae"}),
        (two_outputs, {"a": reported_as("own", tf.keras.metrics.AUC())}),
        (lambda: two_outputs(by_name=True), "mae"),
    ],
)
def test_every_reported_metric_is_known_before_the_training(make: Any, metrics: Any) -> None:
    model = make()
    model.compile("sgd", "mse", metrics)
    before = metric_names(model)
    x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)
    labels = tf.nest.map_structure(lambda _: y, model.output)

    assert before is not None
    assert set(model.evaluate(x, labels, verbose=0, return_dict=True)) <= before


@pytest.mark.parametrize(
    ("metrics", "wanted", "message"),
    [
        (["accuracy"], "val_acuracy", "reports: val_accuracy, val_loss; did you mean val_accuracy"),
        (["accuracy"], "accuracy", "accuracy is none of the numbers that the validation"),
        ([], "val_acc", "val_acc is none of .* reports: val_loss$"),
    ],
)
def test_a_wrong_searcher_metric_is_refused_before_the_training(
    metrics: Any, wanted: str, message: str, tmp_path: Path
) -> None:
    trial = type("T", (Measuring,), {"make": staticmethod(dense), "metrics": metrics})
    given = config(5)
    given["searcher"]["metric"] = wanted

    with pytest.raises(MetricError, match=f"searcher.metric: .*{message}"):
        run(trial, tmp_path, given)
    assert not (tmp_path / "metrics.jsonl").exists()


@pytest.mark.parametrize("name", ["bce", "kld"])
def test_a_loss_that_is_no_metric_by_name_is_refused(name: str, tmp_path: Path) -> None:
    trial = type("T", (Measuring,), {"make": staticmethod(dense), "metrics": [name]})
    with pytest.raises(InvalidModelException, match=f"Keras has no metric named {name}\n"):
        run(trial, tmp_path, config(5))


@pytest.mark.parametrize(
    ("make", "callbacks"),
    [
        (lambda: dense(OwnLayer()), ()),
        (lambda: tf.keras.Sequential([tf.keras.layers.Dense(1), OwnLayer()]), ()),
        (lambda: dense(kind=OwnStep), ()),
        (dense, (Adding,)),
    ],
)
def test_a_metric_that_comes_later_is_not_refused(
    make: Any, callbacks: Any, tmp_path: Path
) -> None:
    trial = type("T", (Measuring,), {"make": staticmethod(make), "callbacks": callbacks})
    given = config(2)
    given["searcher"]["metric"] = "val_own"

    assert run(trial, tmp_path, given).validated("val_own")
