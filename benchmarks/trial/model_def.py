"""The trial that Determined and pedl2det train."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from cases import CASES, VALIDATION, arrays, compiled, training_data
from clock import Clock
from determined.keras import TFKerasTrial, callbacks


class Marks(callbacks.Callback):
    """Marks the end of every workload."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def on_train_workload_end(self, total_batches_trained: int, logs: Any) -> None:
        self._clock.mark()


class Trial(TFKerasTrial):
    """A context-based trial of the case that its hyperparameter names."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self._case = CASES[context.get_hparam("case")]

    def build_model(self) -> Any:
        model = self.context.wrap_model(tf.keras.Sequential(self._case.layers()))
        return compiled(model, self.context.wrap_optimizer)

    def build_training_data_loader(self) -> Any:
        data = training_data(self._case)
        return self.context.wrap_dataset(data) if self._case.form == "dataset" else data

    def build_validation_data_loader(self) -> Any:
        return arrays(self._case, VALIDATION)

    def keras_callbacks(self) -> list[Any]:
        marks = self.context.get_hparam("marks")
        return [Marks(Clock(self._case.period, marks))]
