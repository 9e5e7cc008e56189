"""The trial class that users subclass.

Follows the Determined documentation, *Keras API* guide and *Keras API Reference*.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.config.generation import CONTEXT_BASED, Generation

_METHODS_OF_EARLY_TRIALS = (
    *("build_model", "build_training_data_loader", "build_validation_data_loader"),
    *("session_config", "keras_callbacks"),
)


class Trial(ABC):
    """A trial of any API generation.

    Attributes:
        trial_context_class: the class of the context.
        trial_controller_class: None: pedl2det's training loop needs no class.
    """

    trial_context_class: ClassVar[type] = TFKerasTrialContext
    trial_controller_class: ClassVar[type | None] = None

    @classmethod
    @abstractmethod
    def as_context_trial(cls, package: ModuleType) -> type[TFKerasTrial]:
        """Return the context-based trial that is equivalent to this class.

        Args:
            package: the module that exposes the class. PEDL trials define their data loaders there.
        """


class TFKerasTrial(Trial):
    """A ``tf.keras`` trial of the context-based API.

    Args:
        context: the context of the trial; store it as ``self.context``.
        trial_context: the name of ``context`` in Determined 0.12.0.
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
        _accept_hparams(cls)

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[TFKerasTrial]:  # noqa: ARG003
        """Return this class, which is context-based."""
        return cls

    @property
    def api_generation(self) -> Generation:
        """Training semantics of this API generation."""
        return CONTEXT_BASED

    def _definition(self, method: str) -> Callable[..., Any]:
        """Return the user's function behind a method, to locate errors there."""
        definition: Callable[..., Any] = getattr(self, method)
        return definition

    @abstractmethod
    def build_model(self) -> Any:
        """Build the model: wrap it with ``context.wrap_model``, compile it and return it.

        Returns:
            A compiled ``tf.keras.Model``.
        """

    @abstractmethod
    def build_training_data_loader(self) -> Any:
        """Return the training data.

        Arrays have the shape (records, ...). ``x`` and ``y`` may also be lists or dicts of arrays.
        They are sliced into batches of ``context.get_per_slot_batch_size()`` records. Floating
        point arrays are converted to ``floatx``.

        Returns:
            ``(x, y)`` or ``(x, y, sample_weights)`` of arrays; a ``keras.utils.Sequence`` or
            ``SequenceAdapter`` of such tuples, one per batch; or a ``tf.data.Dataset`` of batches,
            wrapped with ``context.wrap_dataset``.
        """

    @abstractmethod
    def build_validation_data_loader(self) -> Any:
        """Return the validation data.

        Returns:
            One of the types that :meth:`build_training_data_loader` may return.
        """

    def session_config(self) -> Any:
        """Return the ``tf.compat.v1.ConfigProto`` of the session.

        In graph mode the session uses all of it, in eager mode only the thread counts apply.
        """
        import tensorflow as tf

        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def keras_callbacks(self) -> list[Any]:
        """Return the list of ``tf.keras`` or ``determined.keras`` callbacks to use in training."""
        return []


def _accept_hparams(trial_class: type) -> None:
    """Pass ``hparams`` to the methods of a trial class that require it; replace them in place.

    Follows docs/semantics.md, ``hparams`` in early Determined.
    """
    for name in _METHODS_OF_EARLY_TRIALS:
        method = vars(trial_class).get(name)
        if inspect.isfunction(method):
            parameter = inspect.signature(method).parameters.get("hparams")
            if parameter is not None and parameter.default is parameter.empty:
                setattr(trial_class, name, _with_hparams(method))


def _with_hparams(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def with_hparams(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not args and "hparams" not in kwargs:
            kwargs["hparams"] = dict(current().hparams)
        return method(self, *args, **kwargs)

    return with_hparams
