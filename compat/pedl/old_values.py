"""Present values of tensors, which a session of TensorFlow 1 computed anew on each ``run``.

Old code computes a tensor of a variable once, ``norm = tf.norm(weights)``, and evaluates it again
and again. In eager mode ``norm`` has the value of its creation. Operations that depend on variables
are therefore recorded on their tensors, and executed again when a session evaluates these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pedl2det_runtime.errors import GraphModeNeededError

_ORIGIN = "_pedl_origin"
#: Operations that read a variable.
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")
#: How the names of compiled functions begin.
_FUNCTIONS = "__"


@dataclass(frozen=True)
class _Origin:
    """The operation that computed a tensor.

    Attributes:
        operation: its type.
        inputs: its input tensors.
        attributes: its attributes, names and values in turn.
        outputs: the number of its outputs.
        place: the index of the tensor among them.
    """

    operation: str
    inputs: tuple[Any, ...]
    attributes: tuple[Any, ...]
    outputs: int
    place: int


def start() -> None:
    """Record the operations of this thread."""
    from tensorflow.python.framework import op_callbacks

    op_callbacks.add_op_callback(_record)


def stop() -> None:
    """Undo :func:`start`, if it was called."""
    from tensorflow.python.eager import context
    from tensorflow.python.framework import op_callbacks

    if _record in context.context().op_callbacks:
        op_callbacks.remove_op_callback(_record)


def reading_visibly(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap TensorFlow's execution of operations, which reads variables in native code.

    An operation on a variable falls back to the execution in Python, which reads the variable with
    an operation of its own.
    """
    from tensorflow.python.eager import core
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    @functools.wraps(original)
    def execute(context: Any, operation: str, name: Any, *arguments: Any) -> Any:
        for one in arguments:
            parts = one if isinstance(one, list | tuple) else (one,)
            if any(isinstance(part, BaseResourceVariable) for part in parts):
                raise core._FallbackException(operation)
        return original(context, operation, name, *arguments)

    return execute


def _record(
    operation: str | bytes,
    inputs: tuple[Any, ...],
    attributes: tuple[Any, ...],
    outputs: Any,
    op_name: str | None = None,
    graph: Any = None,
) -> None:
    """Record an eager operation on its outputs, if they depend on variables."""
    if graph is not None:
        return
    name = operation.decode() if isinstance(operation, bytes) else operation
    if (
        name in _READS
        or any(hasattr(one, _ORIGIN) for one in inputs)
        or (name.startswith(_FUNCTIONS) and any(one.dtype == "resource" for one in inputs))
    ):
        for place, output in enumerate(outputs):
            setattr(output, _ORIGIN, _Origin(name, inputs, attributes, len(outputs), place))


def evaluating(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap ``K.eval`` to return the present value."""

    @functools.wraps(original)
    def evaluate(x: Any) -> Any:
        return original(present(x))

    return evaluate


def present(tensor: Any) -> Any:
    """Return an eager tensor with the present values of the variables that it depends on.

    Raises:
        GraphModeNeededError: it depends on a function or on an operation with side effects.
    """
    return _computed(tensor, {})


def _computed(tensor: Any, done: dict[int, Any]) -> Any:
    origin = getattr(tensor, _ORIGIN, None)
    if origin is None:
        return tensor
    if id(tensor) not in done:
        inputs = [_computed(one, done) for one in origin.inputs]
        done[id(tensor)] = _execute(origin, inputs)[origin.place]
    return done[id(tensor)]


def _execute(origin: _Origin, inputs: list[Any]) -> Any:
    from tensorflow.python.eager import context, execute
    from tensorflow.python.framework import op_def_registry

    known = op_def_registry.get(origin.operation)
    if known is None or (known.is_stateful and origin.operation not in _READS):
        raise GraphModeNeededError(
            f"a session evaluates a tensor of {origin.operation} again, which needs graph mode"
        )
    pairs = zip(origin.attributes[::2], origin.attributes[1::2], strict=True)
    given = [part for name, value in pairs if value is not None for part in (name, value)]
    return execute.quick_execute(
        origin.operation, origin.outputs, inputs, tuple(given), context.context()
    )
