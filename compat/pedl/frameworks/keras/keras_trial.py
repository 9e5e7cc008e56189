"""``pedl.frameworks.keras.keras_trial``: trials of standalone Keras."""

from __future__ import annotations

from abc import abstractmethod
from types import ModuleType
from typing import Any

from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial import Trial


class _KerasTrial(Trial):
    """Base class of both kinds of Keras trials.

    Args:
        hparams: the hyperparameters by name.

    Attributes:
        model: the compiled model; set after ``build_model``.
        validation_data_adapter: the validation data as a :class:`KerasDataAdapter`.
    """

    model: Any
    validation_data_adapter: Any

    def __init__(self, hparams: dict[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Subclasses need not call this."""

    @abstractmethod
    def build_model(self, hparams: dict[str, Any]) -> Any:
        """Return the model, not compiled."""

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

    def session_config(self, hparams: dict[str, Any]) -> Any:
        """Return the ``tf.ConfigProto`` of the session."""
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams: dict[str, Any]) -> list[Any]:
        """Return the callbacks to use in training."""
        return []


class KerasTrial(_KerasTrial):
    """A trial with one loss, for a model with one output.

    Define ``compute_validation_metrics(step_id)`` to compute the validation metrics yourself. It
    returns ``{"num_inputs": n, "validation_metrics": {name: value}}``.
    """

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """Return the context-based trial for this class and the loaders of its package."""
        from pedl._adapter import adapt
        from pedl._keras_trials import AdaptedKerasTrial

        return adapt(cls, package, AdaptedKerasTrial)

    @abstractmethod
    def loss(self) -> Any:
        """Return the loss: a function of targets and predictions, or its name."""


class KerasFunctionalTrial(_KerasTrial):
    """A trial for a model with named inputs and outputs.

    The values of ``training_metrics`` and ``validation_metrics`` are pairs ``(output, metric)``.
    """

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """Return the context-based trial for this class and the loaders of its package."""
        from pedl._adapter import adapt
        from pedl._keras_trials import AdaptedKerasFunctionalTrial

        return adapt(cls, package, AdaptedKerasFunctionalTrial)

    @abstractmethod
    def losses(self) -> dict[str, Any]:
        """Return the loss of each output, by output name."""


refusals.complete(__name__)
