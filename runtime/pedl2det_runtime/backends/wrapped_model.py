"""``context.wrap_model``: the model itself, which from then on records how it is compiled.

No proxy stands between: whatever a model has and does, the wrapped one has and does.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors import InvalidExperimentException

_log = logging.getLogger(__name__)

_FIT_SETTINGS = (
    *("verbose", "class_weight", "workers", "use_multiprocessing", "max_queue_size"),
    *("shuffle", "validation_steps"),
)


class WrappedModel:
    """A model, and what was said to it since it was wrapped.

    Args:
        model: the ``tf.keras.Model``; its ``compile`` and ``fit`` are recorded from now on.
        configure_fit: told what is said to ``model.fit``, which itself trains nothing: the
            controller does.
        is_compiled: whether the model was compiled before; then nothing is recorded.

    Attributes:
        model: the model.
        compiled: the arguments of ``compile`` by name; None before it is called.
    """

    def __init__(
        self, model: Any, configure_fit: Callable[..., None], *, is_compiled: bool = False
    ) -> None:
        self.model = model
        self.compiled: dict[str, Any] | None = {} if is_compiled else None
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
            said = inspect.signature(original).bind(self.model, *args, **kwargs)
            return record(original, said)

        return recorded

    def _compile(self, original: Callable[..., None], said: inspect.BoundArguments) -> None:
        self.compiled = dict(list(said.arguments.items())[1:])
        original(*said.args, **said.kwargs)

    def _fit(self, original: Callable[..., Any], said: inspect.BoundArguments) -> None:
        name = original.__name__
        if self.compiled is None:
            raise InvalidExperimentException(f"call model.compile(...) before model.{name}(...)")
        if said.arguments.get("validation_data") is None:
            raise InvalidExperimentException(f"model.{name}(...): validation_data is required")
        given = {key: said.arguments[key] for key in _FIT_SETTINGS if key in said.arguments}
        self._configure_fit(
            **given | ({"verbose": bool(given["verbose"])} if "verbose" in given else {})
        )
        _log.warning(
            "model.%s(...) trains nothing here: the trial's loaders and the config say what is "
            "trained; its settings are taken as those of configure_fit",
            name,
        )
