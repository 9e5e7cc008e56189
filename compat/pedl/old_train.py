"""``tf.train.*Optimizer`` of TensorFlow 1 for Keras, which accepts only its own optimizers.

In graph mode they are TensorFlow's, for sessions. In eager mode, and for Keras models in graph
mode, they are optimizers of ``tf.keras.optimizers.legacy`` with the arithmetic of TensorFlow 1.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from pedl2det_names import lookup

Arguments = dict[str, Any]

_FOR_KERAS = "_pedl_for_keras"


def optimizer(name: str, tf: Any) -> Callable[..., Any]:
    """Return a function that creates an optimizer of ``tf.train``.

    Args:
        name: the name of the optimizer's class.
        tf: TensorFlow, with Keras 2.
    """
    original = getattr(tf.compat.v1.train, name)
    make = functools.partial(_OWN[name], tf) if name in _OWN else _renamed(name, tf)

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


def _renamed(name: str, tf: Any) -> Callable[..., Any]:
    """Return a function that creates a Keras optimizer from the arguments of the old one."""
    row = lookup(f"tensorflow.train.{name}")
    assert row is not None
    assert row.new is not None
    kind = getattr(tf.keras.optimizers.legacy, row.new.rpartition(".")[2])

    def make(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(zip(row.parameters, args, strict=False)) | kwargs
        today = {
            new: value
            for old, value in arguments.items()
            if (new := row.keywords.get(old, old)) is not None
        }
        defaults = {new: ast.literal_eval(text) for new, text in row.defaults.items()}
        return kind(**defaults | today)

    return make


def _momentum(
    tf: Any,
    learning_rate: Any,
    momentum: Any,
    use_locking: bool = False,
    name: str = "Momentum",
    use_nesterov: bool = False,
) -> Any:
    class Momentum(tf.keras.optimizers.legacy.SGD):
        """SGD that applies the learning rate to the accumulated gradient, not to each gradient."""

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            if not self._momentum:
                return super()._resource_apply_dense(grad, var, apply_state)
            return tf.raw_ops.ResourceApplyMomentum(grad=grad, **self._inputs(var))

        def _resource_apply_sparse(
            self, grad: Any, var: Any, indices: Any, apply_state: Any = None
        ) -> Any:
            inputs = self._inputs(var)
            return tf.raw_ops.ResourceSparseApplyMomentum(grad=grad, indices=indices, **inputs)

        def _inputs(self, var: Any) -> Arguments:
            dtype = var.dtype.base_dtype
            return {
                "var": var.handle,
                "accum": self.get_slot(var, "momentum").handle,
                "lr": self._decayed_lr(dtype),
                "momentum": tf.identity(self._get_hyper("momentum", dtype)),
                "use_nesterov": self.nesterov,
            }

    return Momentum(learning_rate, momentum, use_nesterov, name)


def _adagrad(
    tf: Any,
    learning_rate: Any,
    initial_accumulator_value: float = 0.1,
    use_locking: bool = False,
    name: str = "Adagrad",
) -> Any:
    class Adagrad(tf.keras.optimizers.legacy.Adagrad):
        """Adagrad without epsilon."""

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            return tf.raw_ops.ResourceApplyAdagrad(grad=grad, **self._inputs(var))

        def _resource_apply_sparse(
            self, grad: Any, var: Any, indices: Any, apply_state: Any = None
        ) -> Any:
            inputs = self._inputs(var)
            return tf.raw_ops.ResourceSparseApplyAdagrad(grad=grad, indices=indices, **inputs)

        def _inputs(self, var: Any) -> Arguments:
            return {
                "var": var.handle,
                "accum": self.get_slot(var, "accumulator").handle,
                "lr": self._decayed_lr(var.dtype.base_dtype),
            }

    return Adagrad(learning_rate, initial_accumulator_value, name=name)


def _rms_prop(
    tf: Any,
    learning_rate: Any,
    decay: Any = 0.9,
    momentum: Any = 0.0,
    epsilon: float = 1e-10,
    use_locking: bool = False,
    centered: bool = False,
    name: str = "RMSProp",
) -> Any:
    class RMSProp(tf.keras.optimizers.legacy.RMSprop):
        """RMSprop with mean squares that start at 1, and epsilon inside of the square root."""

        def _create_slots(self, var_list: Any) -> None:
            for var in var_list:
                self.add_slot(var, "rms", "ones")
            for var in var_list:
                self.add_slot(var, "momentum")
            for var in var_list if self.centered else ():
                self.add_slot(var, "mg")

        def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
            kind = "Centered" if self.centered else ""
            apply = getattr(tf.raw_ops, f"ResourceApply{kind}RMSProp")
            return apply(grad=grad, **self._inputs(var))

        def _resource_apply_sparse(
            self, grad: Any, var: Any, indices: Any, apply_state: Any = None
        ) -> Any:
            kind = "Centered" if self.centered else ""
            apply = getattr(tf.raw_ops, f"ResourceSparseApply{kind}RMSProp")
            return apply(grad=grad, indices=indices, **self._inputs(var))

        def _inputs(self, var: Any) -> Arguments:
            dtype = var.dtype.base_dtype
            slots = {"ms": "rms", "mom": "momentum"} | ({"mg": "mg"} if self.centered else {})
            return {
                **{key: self.get_slot(var, slot).handle for key, slot in slots.items()},
                "var": var.handle,
                "lr": self._decayed_lr(dtype),
                "rho": tf.identity(self._get_hyper("rho", dtype)),
                "momentum": tf.identity(self._get_hyper("momentum", dtype)),
                "epsilon": tf.constant(self.epsilon, dtype),
            }

    return RMSProp(learning_rate, decay, momentum, epsilon, centered, name)


_OWN: dict[str, Callable[..., Any]] = {
    "AdagradOptimizer": _adagrad,
    "MomentumOptimizer": _momentum,
    "RMSPropOptimizer": _rms_prop,
}

#: All supported optimizers. Those in ``_OWN`` have an arithmetic that Keras does not provide.
NAMES = (
    *("AdamOptimizer", "GradientDescentOptimizer", "AdadeltaOptimizer", "FtrlOptimizer"),
    *_OWN,
)
