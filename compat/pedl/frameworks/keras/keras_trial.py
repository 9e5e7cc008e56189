"""``pedl.frameworks.keras.keras_trial``: trials of standalone Keras."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from pedl._keras_trials import AdaptedKerasFunctionalTrial, AdaptedKerasTrial
from pedl.frameworks.keras.tf_keras_trial import TFKerasTrial
from pedl2det_runtime import refusals


class _KerasTrial(TFKerasTrial):
    """Base class of both kinds of Keras trials, which return a model that is not compiled.

    Attributes:
        model: the compiled model; set after ``build_model``.
        validation_data_adapter: the validation data as a :class:`KerasDataAdapter`.
    """

    model: Any
    validation_data_adapter: Any

    @abstractmethod
    def optimizer(self) -> Any:
        """Return the optimizer, or its name."""

    @abstractmethod
    def batch_size(self) -> int:
        """Return the number of records per batch of one process."""

    def training_metrics(self) -> dict[str, Any]:
        """Return the metrics of training batches, by their names in reports."""
        return {}

    @abstractmethod
    def validation_metrics(self) -> dict[str, Any]:
        """Return the metrics of validation batches, by their names in reports."""


class KerasTrial(_KerasTrial):
    """A trial with one loss, for a model with one output.

    Define ``compute_validation_metrics(step_id)`` to compute the validation metrics yourself. It
    returns ``{"num_inputs": n, "validation_metrics": {name: value}}``.
    """

    _adapter = AdaptedKerasTrial

    @abstractmethod
    def loss(self) -> Any:
        """Return the loss: a function of targets and predictions, or its name."""


class KerasFunctionalTrial(_KerasTrial):
    """A trial for a model with named inputs and outputs.

    The values of ``training_metrics`` and ``validation_metrics`` are pairs ``(output, metric)``.
    """

    _adapter = AdaptedKerasFunctionalTrial

    @abstractmethod
    def losses(self) -> dict[str, Any]:
        """Return the loss of each output, by output name."""


refusals.complete(__name__)
