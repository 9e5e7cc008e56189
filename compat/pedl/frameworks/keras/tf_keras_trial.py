"""``pedl.frameworks.keras.tf_keras_trial``: the old ``TFKerasTrial`` (seed 004)."""

from __future__ import annotations

from abc import abstractmethod
from types import ModuleType
from typing import Any

from pedl._adapter import AdaptedTFKerasTrial, adapt
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial import Trial


class TFKerasTrial(Trial):
    """A ``tf.keras`` trial of PEDL; ``make_data_loaders`` stands beside it in its package.

    Args:
        hparams: the hyperparameters by name.
    """

    def __init__(self, hparams: dict[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Subclasses need not call this."""

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """The adapter that trains this class with ``make_data_loaders`` of its package."""
        return adapt(cls, package, AdaptedTFKerasTrial)

    @abstractmethod
    def build_model(self, hparams: dict[str, Any]) -> Any:
        """The compiled ``tf.keras.Model``."""

    def session_config(self, hparams: dict[str, Any]) -> Any:
        """The ``tf.ConfigProto`` of the session."""
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams: dict[str, Any]) -> list[Any]:
        """The ``tf.keras`` callbacks that are used while the trial trains."""
        return []
