"""Metrics have the names that a trial of their time knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pedl2det_runtime.api.generation import (
    CONTEXT_BASED,
    EARLY_DETERMINED,
    Generation,
    Kind,
    Metrics,
)
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
        "batch": training,
        "epoch": training,
        "test batch": validation,
        "test": validation,
    }
    assert set(done.batches[0]) == training
    assert [set(report["metrics"]) for report in done.reports] == [training, validation]
