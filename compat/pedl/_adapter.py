"""An old trial and its data loaders, seen as a context-based trial.

From here on there is one API: everything below the adapter knows only the context-based one. It
says to the context what ``pedl2det migrate`` writes into the migrated trial.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from pedl import _run
from pedl._calls import called, checked, place
from pedl2det_runtime.api.context import TFKerasTrialContext
from pedl2det_runtime.api.generation import TF1_NAMES, Generation
from pedl2det_runtime.api.trial import TFKerasTrial as ContextTrial
from pedl2det_runtime.api.trial_info import current
from pedl2det_runtime.errors import CheckFailedError, TrialLoadError

_GENERATION = Generation(epoch_is_one_pass=True, wraps_datasets=False, aliases=TF1_NAMES)


def adapt(legacy_class: type, package: ModuleType, base: type[AdaptedTrial]) -> type[ContextTrial]:
    """The context-based trial that trains a legacy one.

    Args:
        legacy_class: the trial.
        package: where ``make_data_loaders`` is, and ``download_data`` if there is one.
        base: the adapter for this kind of trial.

    Raises:
        TrialLoadError: the package exposes no ``make_data_loaders``.
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
    """A trial without ``download_data``."""


class AdaptedTrial(ContextTrial):
    """A trial of PEDL; ``build_model`` is what its kinds differ in."""

    _legacy_class: type
    _make_data_loaders: Callable[..., Any]
    _download_data: Callable[..., Any]

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False)  # old Sequences are read in their own order
        self._config = context.get_experiment_config()
        self._hparams = _run.legacy_hparams(current())
        self._download()
        self._legacy = called(checked(self._legacy_class), hparams=self._hparams)
        self._loaders: tuple[Any, Any] | None = None

    @property
    def api_generation(self) -> Generation:
        """An epoch is one pass over the data."""
        return _GENERATION

    def session_config(self) -> Any:
        """The session of the old trial."""
        config = called(self._legacy.session_config, hparams=self._hparams)
        return super().session_config() if config is None else config

    def build_training_data_loader(self) -> Any:
        """The first of the pair that ``make_data_loaders`` gives, which is called once."""
        return self._pair()[0]

    def build_validation_data_loader(self) -> Any:
        """The second of the pair."""
        return self._pair()[1]

    def keras_callbacks(self) -> list[Any]:
        """The callbacks of the old trial."""
        callbacks: list[Any] = called(self._legacy.keras_callbacks, hparams=self._hparams)
        return callbacks

    def _download(self) -> None:
        """Call ``download_data`` once per machine, before anything else of the trial."""
        distributed = self.context.distributed
        directory = self._ask(self._download_data) if distributed.local_rank == 0 else None
        _run.downloaded_to(distributed.broadcast_local(directory))

    def _ask(self, function: Callable[..., Any]) -> Any:
        """Call a function beside the trial."""
        return called(function, experiment_config=self._config, hparams=self._hparams)

    def _pair(self) -> tuple[Any, Any]:
        if self._loaders is None:
            loaders = self._ask(self._make_data_loaders)
            if not isinstance(loaders, tuple | list) or len(loaders) != 2:
                raise TrialLoadError(
                    f"{place(self._make_data_loaders)}: make_data_loaders: expected a pair "
                    f"(training, validation), got {_described(loaders)}"
                )
            self._loaders = loaders[0], loaders[1]
        return self._loaders


class AdaptedTFKerasTrial(AdaptedTrial):
    """A ``TFKerasTrial``, which compiles its model itself."""

    def build_model(self) -> Any:
        """The model of the old trial, compiled as it compiled it."""
        model = called(self._legacy.build_model, hparams=self._hparams)
        if getattr(model, "optimizer", None) is None:
            raise CheckFailedError(
                f"{place(self._legacy.build_model)}: build_model must return a compiled "
                "tf.keras.Model: call model.compile(...) before it returns"
            )
        return self.context.adopt_compiled_model(model)


def _described(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} loaders"
    return "nothing" if value is None else f"one {type(value).__name__}"
