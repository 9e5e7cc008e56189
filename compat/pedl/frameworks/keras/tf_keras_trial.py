"""``pedl.frameworks.keras.tf_keras_trial``: the ``TFKerasTrial`` of PEDL, and its adapter.

The runtime knows only context-based trials. The adapter calls the context as the code that
``pedl2det migrate`` writes into a migrated trial does. Follows the PEDL documentation, *tf.keras
Model Definition*.
"""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pedl
from pedl2det_legacy.calls import accepted, fits
from pedl2det_legacy.download import download_once
from pedl2det_runtime import refusals
from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial import Trial
from pedl2det_runtime.config.generation import Generation
from pedl2det_runtime.errors import CheckFailedError, TrialLoadError
from pedl2det_runtime.errors.trial_code import location_of

_GENERATION = Generation(epoch_is_one_pass=True, wraps_datasets=False, has_old_metric_names=True)


class AdaptedTrial(ContextTrial):
    """The adapter of a PEDL ``TFKerasTrial``, and base class of the other adapters."""

    _legacy_class: type
    _make_data_loaders: Callable[..., Any]
    _download_data: Callable[..., Any]

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False)  # PEDL does not shuffle
        self._config = context.get_experiment_config()
        self._hparams = pedl._legacy_hparams()
        self._loaders: Any = None
        download_once(context, functools.partial(self._call_function, self._download_data))
        missing = sorted(getattr(self._legacy_class, "__abstractmethods__", ()))
        if missing:
            raise TrialLoadError(
                f"{location(self._legacy_class)}: {self._legacy_class.__name__} does not define "
                f"{', '.join(missing)}"
            )
        self._legacy: Any = self._call(self._legacy_class)

    @property
    def api_generation(self) -> Generation:
        """Training semantics of PEDL."""
        return _GENERATION

    def build_model(self) -> Any:
        """Return the compiled model of the PEDL trial.

        Raises:
            CheckFailedError: the model is not compiled.
        """
        model = self._call(self._legacy.build_model)
        if getattr(model, "optimizer", None) is None:
            remedy = "it returned None" if model is None else "call model.compile(...) in it"
            raise CheckFailedError(
                f"{location(self._legacy.build_model)}: build_model must return a compiled "
                f"tf.keras.Model: {remedy}"
            )
        return self.context.adopt_compiled_model(model)

    def session_config(self) -> Any:
        """Return the ``ConfigProto`` of the PEDL trial, or the default."""
        config = self._call(self._legacy.session_config)
        return super().session_config() if config is None else config

    def keras_callbacks(self) -> Any:
        """Return the callbacks of the PEDL trial."""
        found = self._call(self._legacy.keras_callbacks)
        is_list = found is None or hasattr(found, "__iter__")  # Keras took any
        return list(found or ()) if is_list else found

    def build_training_data_loader(self) -> Any:
        """Return the first item of the pair from ``make_data_loaders``, which is called once."""
        return self._pair()[0]

    def build_validation_data_loader(self) -> Any:
        """Return the second item of the pair from ``make_data_loaders``."""
        return self._pair()[1]

    def _definition(self, method: str) -> Any:
        """Return the function of the PEDL trial behind a method."""
        is_loader = method.endswith("_data_loader")
        return self._make_data_loaders if is_loader else getattr(self._legacy, method)

    def _call(self, function: Callable[..., Any]) -> Any:
        """Call a method of the trial, or create the trial."""
        return call_with_accepted(function, hparams=self._hparams)

    def _call_function(self, function: Callable[..., Any]) -> Any:
        return call_with_accepted(function, experiment_config=self._config, hparams=self._hparams)

    def _pair(self) -> Any:
        if self._loaders is None:
            loaders = self._call_function(self._make_data_loaders)
            are_several = isinstance(loaders, tuple | list)
            if not are_several or len(loaders) != 2:
                got = f"{len(loaders)} loaders" if are_several else f"one {type(loaders).__name__}"
                raise TrialLoadError(
                    f"{location(self._make_data_loaders)}: make_data_loaders: expected a pair "
                    f"(training, validation), got {'nothing' if loaders is None else got}"
                )
            self._loaders = loaders
        return self._loaders


class TFKerasTrial(Trial):
    """A ``tf.keras`` trial of PEDL. Its package defines ``make_data_loaders``."""

    _adapter: ClassVar[type[AdaptedTrial]] = AdaptedTrial

    def __init__(self, hparams: dict[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Subclasses need not call this."""

    @classmethod
    def as_context_trial(cls, package: ModuleType) -> type[ContextTrial]:
        """Return the context-based trial for this class and the loaders of its package.

        Raises:
            TrialLoadError: the package has no function ``make_data_loaders``.
        """
        make_data_loaders = getattr(package, "make_data_loaders", None)
        if not callable(make_data_loaders):
            raise TrialLoadError(
                f"{package.__file__}: expected a function make_data_loaders beside the trial: "
                "define it or import it there"
            )
        members = {
            "_legacy_class": cls,
            "_make_data_loaders": staticmethod(make_data_loaders),
            "_download_data": staticmethod(getattr(package, "download_data", lambda: None)),
        }
        adapted: type[AdaptedTrial] = type(cls.__name__, (cls._adapter,), members)
        return adapted

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


def call_with_accepted(function: Callable[..., Any], **offered: Any) -> Any:
    """Call a function of the trial with the arguments that it accepts.

    Args:
        function: a function, method or class.
        offered: the arguments that PEDL passed, in its order.

    Raises:
        TrialLoadError: the signature does not fit these arguments.
    """
    args, kwargs = accepted(function, offered)
    if not fits(function, *args, **kwargs):
        name = getattr(function, "__name__", type(function).__name__)
        raise TrialLoadError(
            f"{location(function)}: {name}: expected the parameters ({', '.join(offered)}), "
            f"got {inspect.signature(function)}"
        )
    return function(*args, **kwargs)


def location(function: Any) -> str:
    """Return ``file:line`` of a function, method or class, or its ``repr`` without source."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    try:
        file = inspect.getsourcefile(function) or inspect.getfile(function)
        return f"{file}:{max(inspect.getsourcelines(function)[1], 1)}"
    except (TypeError, OSError):
        call = inspect.getattr_static(type(function), "__call__", None)
        return (call and location_of(call)) or repr(function)


refusals.complete(__name__)
