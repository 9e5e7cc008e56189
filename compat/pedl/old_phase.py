"""``K.set_learning_phase``: fix layers that are called afterwards to training or inference.

In TensorFlow 1 the phase applied to the graph that was built afterwards, in ``fit`` and
``evaluate``. Today ``fit`` and ``evaluate`` set the phase themselves, except for layers that were
called with ``training=``. The fixed phase is therefore passed to layers as ``training=``.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)

_PHASE = "_pedl_learning_phase"
_fixed: bool | None = None


def reset() -> None:
    """Unset the fixed phase."""
    global _fixed
    _fixed = None


def setting(original: Callable[[int], None]) -> Callable[[int], None]:
    """Wrap ``K.set_learning_phase`` to fix the phase of models."""

    @functools.wraps(original)
    def set_learning_phase(value: int) -> None:
        global _fixed
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the function warns that it has no effect
            original(int(value))
        _fixed = bool(value)
        what = "training" if _fixed else "inference"
        _log.warning(
            "set_learning_phase(%s): layers called from here on stay in %s mode, in fit and in "
            "validations",
            *(value, what),
        )

    return set_learning_phase


def store_on(model: Any) -> None:
    """Store the fixed phase on a model that calls its layers later, such as a subclassed one."""
    if _fixed is not None and not getattr(model, "_is_graph_network", False):
        setattr(model, _PHASE, _fixed)


def calling(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap ``Layer.__call__`` to pass the fixed phase as ``training=``."""

    @functools.wraps(original)
    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        stored = getattr(self, _PHASE, None)
        if stored is not None:
            return original(self, *args, **kwargs | {"training": stored})
        if _fixed is not None and _is_symbolic(args, kwargs) and _is_unset(self, args, kwargs):
            kwargs["training"] = _fixed
        return original(self, *args, **kwargs)

    return __call__


def _is_symbolic(args: Any, kwargs: Any) -> bool:
    """Return whether the arguments are symbolic, i.e. a graph is being built."""
    import tensorflow as tf

    return any(hasattr(part, "_keras_history") for part in tf.nest.flatten((args, kwargs)))


def _is_unset(layer: Any, args: Any, kwargs: Any) -> bool:
    """Return whether a layer accepts ``training`` and the call does not set it."""
    parameters = inspect.signature(layer.call).parameters
    if "training" not in parameters:
        return False
    position = list(parameters).index("training")
    return kwargs.get("training") is None and len(args) <= position
