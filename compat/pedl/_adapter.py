"""An old trial and its data loaders, seen as a context-based trial.

From here on there is one API: everything below the adapter knows only the context-based one. It
says to the context what ``pedl2det migrate`` writes into the migrated trial.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pedl._run import legacy_hparams
from pedl2det_runtime.context import TFKerasTrialContext
from pedl2det_runtime.current import current
from pedl2det_runtime.errors import CheckFailedError, TrialLoadError
from pedl2det_runtime.trial import TFKerasTrial as ContextTrial


def adapt(legacy_class: type, package: ModuleType) -> type[ContextTrial]:
    """The context-based trial that trains a legacy one.

    Raises:
        TrialLoadError: the package exposes no ``make_data_loaders``.
    """
    make_data_loaders: Any = getattr(package, "make_data_loaders", None)
    if not callable(make_data_loaders):
        raise TrialLoadError(
            f"{package.__file__}: expected a function make_data_loaders beside the trial: "
            "define it or import it there"
        )

    class Adapted(_AdaptedTrial):
        _legacy_class = legacy_class
        _make_data_loaders = staticmethod(make_data_loaders)

    Adapted.__name__ = Adapted.__qualname__ = legacy_class.__name__
    return Adapted


class _AdaptedTrial(ContextTrial):
    _legacy_class: Callable[[dict[str, Any]], Any]
    _make_data_loaders: Callable[[dict[str, Any], dict[str, Any]], Any]

    epoch_is_one_pass = True

    def __init__(self, context: TFKerasTrialContext) -> None:
        super().__init__(context)
        context.configure_fit(shuffle=False)  # old Sequences are read in their own order
        self._hparams = legacy_hparams(current())
        self._legacy = self._legacy_class(self._hparams)

    def session_config(self) -> Any:
        return self._legacy.session_config(self._hparams)

    def build_training_data_loader(self) -> Any:
        config = self.context.get_experiment_config()
        loaders = self._make_data_loaders(config, self._hparams)
        if not isinstance(loaders, tuple | list) or len(loaders) != 2:
            raise TrialLoadError(
                f"{_place(self._make_data_loaders)}: make_data_loaders: expected a pair "
                f"(training, validation), got {_described(loaders)}"
            )
        training, self._validation = loaders
        return training

    def build_validation_data_loader(self) -> Any:
        return self._validation

    def build_model(self) -> Any:
        model = self._legacy.build_model(self._hparams)
        if getattr(model, "optimizer", None) is None:
            raise CheckFailedError(
                f"{_place(self._legacy.build_model)}: build_model must return a compiled "
                "tf.keras.Model: call model.compile(...) before it returns"
            )
        return self.context.adopt_compiled_model(model)

    def keras_callbacks(self) -> list[Any]:
        callbacks: list[Any] = self._legacy.keras_callbacks(self._hparams)
        return callbacks


def _described(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"{len(value)} loaders"
    return "nothing" if value is None else f"one {type(value).__name__}"


def _place(function: Callable[..., Any]) -> str:
    code = inspect.unwrap(function).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"
