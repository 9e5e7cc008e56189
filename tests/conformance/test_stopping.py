"""Requests to stop: from which hook, and what becomes of them (docs/semantics.md, Workloads)."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from determined.keras import callbacks

from promises import promise
from training import Trained, Trial, X, config, run

#: Workloads end at 4 and 6, where the first validation and the first checkpoint follow.
GIVEN = {
    "records_per_epoch": 12,
    "scheduling_unit": 4,
    "min_validation_period": {"batches": 6},
    "checkpoint_policy": "all",
}
HOOKS = {
    **dict.fromkeys(("on_train_begin", "on_epoch_begin", "on_train_workload_begin"), 4),
    **dict.fromkeys(("on_train_batch_begin", "on_train_batch_end", "on_epoch_end"), 4),
    "on_train_workload_end": 4,
    **dict.fromkeys(("on_test_begin", "on_test_batch_end", "on_test_end"), 6),
    "on_checkpoint_end": 10,  # it is in no checkpoint before that of the next workload
}


def stopping(hook: str, ask: Any) -> type[Trial]:
    """A trial that asks once, in a hook."""

    class Stop(callbacks.Callback):
        asked = ended = 0

        def on_train_end(self, logs: Any = None) -> None:
            Stop.ended += 1

    class Stopping(Trial):
        made: Any = Stop

        def keras_callbacks(self) -> list[Any]:
            def told(callback: Any, *_: Any, **__: Any) -> None:
                if not Stop.asked:
                    Stop.asked = 1
                    ask(self, callback)

            setattr(Stop, hook, told)
            return [Stop()]

    return Stopping


def by_model(trial: Any, callback: Any) -> None:
    callback.model.stop_training = True


def by_context(trial: Any, callback: Any) -> None:
    trial.context.set_stop_requested(True)


@promise("4.7", "model.stop_training stops at the end of the workload, whichever hook sets it")
@pytest.mark.parametrize("hook", HOOKS)
def test_a_stop_of_any_hook(hook: str, tmp_path: Path) -> None:
    trial: Any = stopping(hook, by_model)
    trained = run(trial, tmp_path, config(20, **GIVEN))
    assert trained.reports[-1]["batches"] == HOOKS[hook]
    assert trained.checkpoints[-1] == HOOKS[hook]
    assert trial.made.ended == 1


@promise("4.7", "a stop that the context is asked for before training stops after one workload")
def test_a_stop_before_training(tmp_path: Path) -> None:
    class Hopeless(Trial):
        def build_model(self) -> Any:
            self.context.set_stop_requested(True)
            return super().build_model()

    trained = run(Hopeless, tmp_path, config(20, **GIVEN))
    assert [(r["kind"], r["batches"]) for r in trained.reports] == [("training", 4)]


@promise("4.7", "a trial that was stopped stays so: a resume trains nothing more")
@pytest.mark.parametrize("ask", [by_model, by_context])
def test_a_stopped_trial_stays_stopped(ask: Any, tmp_path: Path) -> None:
    run(stopping("on_train_batch_end", ask), tmp_path, config(20, **GIVEN))
    again = run(stopping("on_nothing", ask), tmp_path, config(20, **GIVEN), resume=True)
    assert again.reports[-1]["batches"] == 4
    assert again.checkpoints == [4]


@promise("4.7", "TerminateOnNaN of Keras stops; the checkpoint of its workload is written")
def test_a_nan_stops(tmp_path: Path) -> None:
    class Broken(Trial):
        def build_training_data_loader(self) -> Any:
            self.context.configure_fit(shuffle=False)
            return np.where(np.arange(20)[:, None] < 8, X, np.nan), np.zeros(20)

        def keras_callbacks(self) -> list[Any]:
            return [tf.keras.callbacks.TerminateOnNaN()]

    trained = run(Broken, tmp_path, config(20, **GIVEN))
    assert trained.checkpoints == [4]
    assert np.isnan(trained.reports[-1]["metrics"]["loss"])


def told(losses: list[float], *watching: Any) -> type[Trial]:
    """A trial whose validations report ``val_luck``, and other callbacks that watch it."""

    class Tell(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._supports_tf_logs = True

        def on_test_end(self, logs: Any = None) -> None:
            step = int(np.asarray(self.model.optimizer.iterations)) // 2 - 1
            logs["val_luck"] = losses[step]

    class Told(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Tell(), *(make() for make in watching)]

    return Told


def validations(trial: type[Trial], out: Path, batches: int = 14, **options: Any) -> Trained:
    given = config(batches, min_validation_period={"batches": 2}, scheduling_unit=2)
    return run(trial, out, given, **options)


@promise("002:303", "EarlyStopping: mode, min_delta and baseline mean what they mean in Keras")
@pytest.mark.parametrize(
    ("settings", "batches"),
    [
        ({"mode": "max", "patience": 2}, 8),  # 1, 2 is best, then 2 and 1.5
        ({"mode": "min", "patience": 3}, 8),  # 1 is best
        ({"mode": "max", "min_delta": 1.5, "patience": 4}, 10),  # 2 is no better than 1 by that
        ({"mode": "max", "baseline": 2.5, "patience": 4}, 8),  # nothing is that good
    ],
)
def test_settings_of_early_stopping(settings: Any, batches: int, tmp_path: Path) -> None:
    trial = told(
        [1, 2, 2, 1.5, 2.4, 9, 9], lambda: callbacks.EarlyStopping(monitor="val_luck", **settings)
    )
    assert validations(trial, tmp_path).reports[-1]["batches"] == batches


@promise("002:303", "EarlyStopping of a metric that is not there warns, and does not stop")
def test_early_stopping_of_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trial = told([1] * 7, lambda: callbacks.EarlyStopping(monitor="val_nothing"))
    with caplog.at_level(logging.WARNING):
        trained = validations(trial, tmp_path, 8)
    assert trained.reports[-1]["batches"] == 8
    assert "val_nothing" in caplog.text


@promise("002:311", "ReduceLROnPlateau: cooldown and min_lr, over a resume in the cooldown too")
def test_settings_of_a_falling_rate(tmp_path: Path) -> None:
    rates = []

    class Note(callbacks.Callback):
        def on_test_end(self, logs: Any = None) -> None:
            rates.append(round(float(np.asarray(self.model.optimizer.learning_rate)), 4))

    def reduce() -> Any:
        return callbacks.ReduceLROnPlateau(
            monitor="val_luck", patience=1, factor=0.5, cooldown=1, min_lr=0.03
        )

    trial = told([1] * 7, reduce, Note)
    validations(trial, tmp_path, 4)
    validations(trial, tmp_path, 14, resume=True)
    # After a reduction one validation is not counted, then the next one reduces again.
    assert rates == [0.1, 0.05, 0.03, 0.03, 0.03, 0.03, 0.03]
