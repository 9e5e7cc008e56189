"""The trial that a user subclasses (seeds 001 and 002)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import ModuleType
from typing import Any

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.early_trial import accept_hparams
from pedl2det_runtime.api.generation import CONTEXT_BASED, Generation


class Trial(ABC):
    """Anything that can be trained here, of whichever generation."""

    @classmethod
    @abstractmethod
    def as_context_trial(cls, package: ModuleType) -> type[TFKerasTrial]:
        """The context-based trial that trains what this class describes.

        Args:
            package: the module in which the class was found; a generation whose data loaders
                are functions beside the class finds them there.
        """


class TFKerasTrial(Trial):
    """A ``tf.keras`` trial of the context-based API.

    Args:
        context: what the trial knows of its run; store it as ``self.context``.
        trial_context: the same, by its name in Determined 0.12.0.
    """

    def __init__(
        self,
        context: TFKerasTrialContext | None = None,
        *,
        trial_context: TFKerasTrialContext | None = None,
    ) -> None:
        self.context: Any = context if trial_context is None else trial_context

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        accept_hparams(cls)

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[TFKerasTrial]:  # noqa: ARG003
        """This class: it is context-based."""
        return cls

    @property
    def api_generation(self) -> Generation:
        """In what other generations differ; adapters of older APIs have another one."""
        return CONTEXT_BASED

    @abstractmethod
    def build_model(self) -> Any:
        """Wrap (``context.wrap_model``), compile and return the ``tf.keras.Model``."""

    @abstractmethod
    def build_training_data_loader(self) -> Any:
        """The training data.

        A tuple ``(x, y)`` or ``(x, y, sample_weights)`` of NumPy arrays, where ``x`` may be a
        list or a dict of arrays, all with the same number of records; or a
        ``keras.utils.Sequence`` of such batches.
        """

    @abstractmethod
    def build_validation_data_loader(self) -> Any:
        """The validation data, of the types that :meth:`build_training_data_loader` lists."""

    def session_config(self) -> Any:
        """The ``tf.compat.v1.ConfigProto`` of the session."""
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self) -> list[Any]:
        """The callbacks that are used during training."""
        return []
