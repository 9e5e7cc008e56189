"""``K.set_learning_phase``: layers that are called afterwards keep to training, or to inference.

In TensorFlow 1 it held for the graph that was built from then on, in ``fit`` and in ``evaluate``.
Today's ``fit`` and ``evaluate`` say themselves which of the two it is, and a layer that was called
with ``training=`` keeps to that: so that is what the layers are told.
"""

from __future__ import annotations

import functools
import inspect
import logging
import warnings
from collections.abc import Callable
from typing import Any

_log = logging.getLogger(__name__)

_KEPT = "_pedl_learning_phase"
_fixed: bool | None = None


def forget() -> None:
    """No phase is fixed any more."""
    global _fixed
    _fixed = None


def setting(original: Callable[[int], None]) -> Callable[[int], None]:
    """``K.set_learning_phase``, which holds for models as well."""

    @functools.wraps(original)
    def set_learning_phase(value: int) -> None:
        global _fixed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says that it does nothing
            original(int(value))
        _fixed = bool(value)
        what = "training" if _fixed else "inference"
        _log.warning("set_learning_phase(%s): models are fixed to %s from here on", value, what)

    return set_learning_phase


def keep(model: Any) -> None:
    """A model whose layers are called later keeps the phase of its ``compile``."""
    if _fixed is not None and not getattr(model, "_is_graph_network", False):
        setattr(model, _KEPT, _fixed)


def calling(original: Callable[..., Any]) -> Callable[..., Any]:
    """``Layer.__call__`` that tells a layer the phase that is fixed."""

    @functools.wraps(original)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        kept = getattr(self, _KEPT, None)
        if kept is not None:
            return original(self, *args, **kwargs | {"training": kept})
        if _fixed is not None and _is_symbolic(args, kwargs) and _is_open(self, args, kwargs):
            kwargs["training"] = _fixed
        return original(self, *args, **kwargs)

    return __call__


def _is_symbolic(args: Any, kwargs: Any) -> bool:
    """Whether a graph is being built, rather than run."""
    import tensorflow as tf

    return any(hasattr(part, "_keras_history") for part in tf.nest.flatten((args, kwargs)))


def _is_open(layer: Any, args: Any, kwargs: Any) -> bool:
    """Whether a layer asks for ``training`` and has not been told."""
    parameters = inspect.signature(layer.call).parameters
    if "training" not in parameters:
        return False
    position = list(parameters).index("training")
    return kwargs.get("training") is None and len(args) <= position
