"""``pedl.frameworks.keras.tf_keras_trial``: the ``TFKerasTrial`` of PEDL.

Follows the PEDL documentation, *tf.keras Model Definition*.
"""

from __future__ import annotations

from abc import abstractmethod
from types import ModuleType
from typing import Any, ClassVar

from pedl._adapter import AdaptedTrial, adapt
from pedl2det_runtime import refusals
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial import Trial


class TFKerasTrial(Trial):
    """A ``tf.keras`` trial of PEDL. Its package defines ``make_data_loaders``.

    Args:
        hparams: the hyperparameters by name.
    """

    _adapter: ClassVar[type[AdaptedTrial]] = AdaptedTrial

    def __init__(self, hparams: dict[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Subclasses need not call this."""

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """Return the context-based trial for this class and the loaders of its package."""
        return adapt(cls, package, cls._adapter)

    @abstractmethod
    def build_model(self, hparams: dict[str, Any]) -> Any:
        """Return the compiled ``tf.keras.Model``."""

    def session_config(self, hparams: dict[str, Any]) -> Any:
        """Return the ``tf.ConfigProto`` of the session."""
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self, hparams: dict[str, Any]) -> list[Any]:
        """Return the callbacks to use in training."""
        return []


refusals.complete(__name__)
