"""Adapt a PEDL trial and its data loaders to a context-based trial.

The runtime knows only context-based trials. The adapter calls the context as the code that
``pedl2det migrate`` writes into a migrated trial does.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from pedl import _run
from pedl._calls import call_with_accepted, location, require_concrete
from pedl2det_legacy.download import download_once
from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.generation import Generation
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.errors import CheckFailedError, TrialLoadError

_GENERATION = Generation(epoch_is_one_pass=True, wraps_datasets=False, has_old_metric_names=True)


def adapt(legacy_class: type, package: ModuleType, base: type[AdaptedTrial]) -> type[ContextTrial]:
    """Return the context-based trial class for a PEDL trial class.

    Args:
        legacy_class: the PEDL trial class.
        package: the module with ``make_data_loaders`` and, optionally, ``download_data``.
        base: the adapter for this kind of trial.

    Raises:
        TrialLoadError: the package has no function ``make_data_loaders``.
    """
    make_data_loaders: Any = getattr(package, "make_data_loaders", None)
    if not callable(make_data_loaders):
        raise TrialLoadError(
            f"{package.__file__}: expected a function make_data_loaders beside the trial: "
            "define it or import it there"
        )

    class Adapted(base):  # type: ignore[misc, valid-type]
        _legacy_class = legacy_class
        _make_data_loaders = staticmethod(make_data_loaders)
        _download_data = staticmethod(getattr(package, "download_data", _nothing))

    Adapted.__name__ = Adapted.__qualname__ = legacy_class.__name__
    return Adapted


def _nothing() -> None:
    """The ``download_data`` of a trial without one."""


class AdaptedTrial(ContextTrial):
    """Base class of adapters; subclasses implement ``build_model``."""

    _legacy_class: type
    _make_data_loaders: Callable[..., Any]
    _download_data: Callable[..., Any]

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False)  # PEDL does not shuffle
        self._config = context.get_experiment_config()
        self._hparams = _run.legacy_hparams(current())
        self._download()
        self._legacy = call_with_accepted(
            require_concrete(self._legacy_class), hparams=self._hparams
        )
        self._loaders: tuple[Any, Any] | None = None

    @property
    def api_generation(self) -> Generation:
        """Training semantics of PEDL."""
        return _GENERATION

    def _definition(self, method: str) -> Callable[..., Any]:
        """Return the function of the PEDL trial behind a method."""
        is_loader = method.endswith("_data_loader")
        definition: Callable[..., Any] = (
            self._make_data_loaders if is_loader else getattr(self._legacy, method)
        )
        return definition

    def session_config(self) -> Any:
        """Return the ``ConfigProto`` of the PEDL trial, or the default."""
        config = call_with_accepted(self._legacy.session_config, hparams=self._hparams)
        return super().session_config() if config is None else config

    def build_training_data_loader(self) -> Any:
        """Return the first item of the pair from ``make_data_loaders``, which is called once."""
        return self._pair()[0]

    def build_validation_data_loader(self) -> Any:
        """Return the second item of the pair from ``make_data_loaders``."""
        return self._pair()[1]

    def keras_callbacks(self) -> list[Any]:
        """Return the callbacks of the PEDL trial."""
        callbacks: list[Any] = call_with_accepted(
            self._legacy.keras_callbacks, hparams=self._hparams
        )
        return callbacks

    def _download(self) -> None:
        """Call ``download_data`` once per machine and share its result."""
        directory = download_once(self.context, lambda: self._call_function(self._download_data))
        _run.set_download_dir(directory)

    def _call_function(self, function: Callable[..., Any]) -> Any:
        """Call a module-level function of the trial's package."""
        return call_with_accepted(function, experiment_config=self._config, hparams=self._hparams)

    def _pair(self) -> tuple[Any, Any]:
        if self._loaders is None:
            loaders = self._call_function(self._make_data_loaders)
            if not isinstance(loaders, tuple | list) or len(loaders) != 2:
                raise TrialLoadError(
                    f"{location(self._make_data_loaders)}: make_data_loaders: expected a pair "
                    f"(training, validation), got {_described(loaders)}"
                )
            self._loaders = loaders[0], loaders[1]
        return self._loaders


class AdaptedTFKerasTrial(AdaptedTrial):
    """The adapter of a PEDL ``TFKerasTrial``, which compiles its model itself."""

    def build_model(self) -> Any:
        """Return the compiled model of the PEDL trial.

        Raises:
            CheckFailedError: the model is not compiled.
        """
        model = call_with_accepted(self._legacy.build_model, hparams=self._hparams)
        if getattr(model, "optimizer", None) is None:
            remedy = "it returned None" if model is None else "call model.compile(...) in it"
            raise CheckFailedError(
                f"{location(self._legacy.build_model)}: build_model must return a compiled "
                f"tf.keras.Model: {remedy}"
            )
        return self.context.adopt_compiled_model(model)


def _described(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} loaders"
    return "nothing" if value is None else f"one {type(value).__name__}"
