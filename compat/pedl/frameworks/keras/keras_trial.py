"""``pedl.frameworks.keras.keras_trial``: trials of standalone Keras."""

from __future__ import annotations

from abc import abstractmethod
from types import ModuleType
from typing import Any

from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial import Trial


class _KerasTrial(Trial):
    """What both kinds of Keras trials have.

    Args:
        hparams: the hyperparameters by name.

    Attributes:
        model: the compiled model, once it is built.
        validation_data_adapter: the validation data, as :class:`KerasDataAdapter`.
    """

    model: Any
    validation_data_adapter: Any

    def __init__(self, hparams: dict[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Subclasses need not call this."""

    @abstractmethod
    def build_model(self, hparams: dict[str, Any]) -> Any:
        """The model, not compiled."""

    @abstractmethod
    def optimizer(self) -> Any:
        """The optimizer."""

    @abstractmethod
    def batch_size(self) -> int:
        """Records in a batch of one process."""

    def training_metrics(self) -> dict[str, Any]:
        """The metrics of training batches, by the names under which they are reported."""
        return {}

    @abstractmethod
    def validation_metrics(self) -> dict[str, Any]:
        """The metrics of validation batches, by the names under which they are reported."""

    def session_config(self, hparams: dict[str, Any]) -> Any:
        """The ``tf.ConfigProto`` of the session."""
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams: dict[str, Any]) -> list[Any]:
        """The callbacks that are used while the trial trains."""
        return []


class KerasTrial(_KerasTrial):
    """A trial whose model has one output.

    A trial may compute its validation metrics itself, in ``compute_validation_metrics(step_id)``,
    which returns ``{"num_inputs": n, "validation_metrics": {name: value}}``.
    """

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """The adapter that trains this class with ``make_data_loaders`` of its package."""
        from pedl._adapter import adapt
        from pedl._keras_trials import AdaptedKerasTrial

        return adapt(cls, package, AdaptedKerasTrial)

    @abstractmethod
    def loss(self) -> Any:
        """The loss function, of targets and predictions."""


class KerasFunctionalTrial(_KerasTrial):
    """A trial whose model has named inputs and outputs; metrics are ``(output, metric)``."""

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """The adapter that trains this class with ``make_data_loaders`` of its package."""
        from pedl._adapter import adapt
        from pedl._keras_trials import AdaptedKerasFunctionalTrial

        return adapt(cls, package, AdaptedKerasFunctionalTrial)

    @abstractmethod
    def losses(self) -> dict[str, Any]:
        """The loss function of each output, by the output's name."""
