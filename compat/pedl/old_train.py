"""``tf.train.*Optimizer`` of TensorFlow 1 for Keras, which accepts only its own optimizers.

In graph mode they are TensorFlow's, for sessions. In eager mode, and for Keras models in graph
mode, they are optimizers of ``tf.keras.optimizers.legacy`` with the arithmetic of TensorFlow 1.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

#: All supported optimizers.
NAMES = (
    *("AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "FtrlOptimizer"),
    *("GradientDescentOptimizer", "MomentumOptimizer", "RMSPropOptimizer"),
)
_FOR_KERAS = "_pedl_for_keras"


def optimizer(name: str, tf: Any) -> Callable[..., Any]:
    """Return a function that creates an optimizer of ``tf.train``.

    Args:
        name: the name of the optimizer's class.
        tf: TensorFlow, with Keras 2.
    """
    original = getattr(tf.compat.v1.train, name)
    make = getattr(importlib.import_module("pedl2det_legacy.train_optimizers"), name)

    @functools.wraps(original, updated=())
    def make_optimizer(*args: Any, **kwargs: Any) -> Any:
        if tf.executing_eagerly():
            return make(*args, **kwargs)
        native = original(*args, **kwargs)
        setattr(native, _FOR_KERAS, functools.partial(make, *args, **kwargs))
        return native

    return make_optimizer


def for_keras(optimizer: Any) -> Any:
    """Return the Keras optimizer for one of graph mode; any other argument unchanged."""
    return getattr(optimizer, _FOR_KERAS, lambda: optimizer)()
