"""Record the calls of ``compile`` and ``fit`` on a wrapped model (``context.wrap_model``).

The methods are replaced on the model itself; there is no proxy.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pedl2det_runtime.errors import InvalidExperimentException, InvalidModelException
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


class WrappedModel:
    """A model whose ``compile`` and ``fit`` are recorded.

    Args:
        model: the ``tf.keras.Model``.
        configure_fit: called with the settings of a ``fit`` call. ``fit`` does not train.
        is_compiled: whether the model is already compiled; then nothing is recorded.

    Attributes:
        model: the model.
        is_compiled: whether ``compile`` was called.
    """

    def __init__(
        self, model: Any, configure_fit: Callable[..., None], *, is_compiled: bool = False
    ) -> None:
        self.model, self.is_compiled = model, is_compiled
        self._configure_fit = configure_fit
        if is_compiled:
            return
        model.compile = self._recorded("compile", self._compile)
        for name in ("fit", "fit_generator"):
            if hasattr(type(model), name):
                setattr(model, name, self._recorded(name, self._fit))

    def _recorded(self, name: str, record: Callable[..., Any]) -> Callable[..., Any]:
        original = getattr(type(self.model), name)

        @functools.wraps(original)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            return record(original, inspect.signature(original).bind(self.model, *args, **kwargs))

        return recorded

    def _compile(self, original: Callable[..., None], bound: inspect.BoundArguments) -> None:
        self.is_compiled = True
        original(*bound.args, **bound.kwargs)

    def _fit(self, original: Callable[..., Any], bound: inspect.BoundArguments) -> None:
        name = original.__name__
        if not self.is_compiled:
            raise InvalidExperimentException(f"call model.compile(...) before model.{name}(...)")
        if bound.arguments.get("validation_data") is None:
            raise InvalidExperimentException(f"model.{name}(...): validation_data is required")
        names = inspect.signature(self._configure_fit).parameters
        settings = {key: bound.arguments[key] for key in names if key in bound.arguments}
        if "verbose" in settings:
            settings["verbose"] = bool(settings["verbose"])
        self._configure_fit(**settings)
        _log.warning(
            "model.%s(...) does not train here: the trial trains on the data of its loaders, for "
            "the length in the config; the settings of this call are passed to configure_fit",
            name,
        )


@contextmanager
def compiled_once(model: Any) -> Iterator[None]:
    """Refuse to compile a model while it trains: ``fit`` would go on with the old step, or fail."""
    before = model.compile

    def refuse(*args: Any, **kwargs: Any) -> Any:
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        if caller.partition(".")[0] in ("keras", "tf_keras", "tensorflow"):
            return before(*args, **kwargs)  # a graph's model that learns of its inputs late
        raise InvalidModelException(
            "model.compile(...) while the model trains: fit goes on with the step that "
            "build_model compiled. Change a rate with "
            "tf.keras.backend.set_value(model.optimizer.learning_rate, ...); for another "
            "optimizer, loss or other trainable layers, stop here and train a second trial with "
            "--from-checkpoint"
        )

    model.compile = refuse
    try:
        yield
    finally:
        model.compile = before
