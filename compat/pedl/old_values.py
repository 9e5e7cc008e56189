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
#: The longest recorded chain of operations; a chain that grows with each batch must end.
_MOST_OPERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class _Operation:
    """A recorded operation.

    Attributes:
        name: its type.
        inputs: its inputs: an :class:`_Origin` if recorded, else the tensor. Empty if there is an
            obstacle.
        attributes: its attributes, names and values in turn.
        outputs: the number of its outputs.
        depth: the length of the longest chain of recorded operations that ends with it.
        obstacle: why it cannot be executed again; None if it can.
    """

    name: str
    inputs: tuple[Any, ...]
    attributes: tuple[Any, ...]
    outputs: int
    depth: int
    obstacle: str | None


@dataclass(frozen=True, eq=False)
class _Origin:
    """Where a tensor comes from.

    Attributes:
        operation: the operation that computed it.
        place: the index of the tensor among the outputs.
    """

    operation: _Operation
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
    sources = tuple(getattr(one, _ORIGIN, one) for one in inputs)
    before = [one.operation for one in sources if isinstance(one, _Origin)]
    calls_function = name.startswith(_FUNCTIONS) and any(one.dtype == "resource" for one in inputs)
    if not (before or name in _READS or calls_function):
        return
    depth = 1 + max((one.depth for one in before), default=0)
    obstacles = (one.obstacle for one in before if one.obstacle)
    obstacle = next(obstacles, None) or _obstacle(name, depth)
    kept = () if obstacle else sources
    recorded = _Operation(name, kept, attributes, len(outputs), depth, obstacle)
    for place, output in enumerate(outputs):
        setattr(output, _ORIGIN, _Origin(recorded, place))


def _obstacle(name: str, depth: int) -> str | None:
    """Return why an operation cannot be executed again; None if it can."""
    from tensorflow.python.framework import op_def_registry

    if depth > _MOST_OPERATIONS:
        return f"it takes more than {_MOST_OPERATIONS} operations"
    if name.startswith(_FUNCTIONS):
        return "it is computed by a tf.function"
    known = op_def_registry.get(name)
    if known is None or (known.is_stateful and name not in _READS):
        return f"the operation {name} has side effects or draws random numbers"
    return None


def evaluating(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap ``K.eval`` to return the present value."""

    @functools.wraps(original)
    def evaluate(x: Any) -> Any:
        return original(present(x))

    return evaluate


def present(tensor: Any) -> Any:
    """Return an eager tensor with the present values of the variables that it depends on.

    Raises:
        GraphModeNeededError: it is symbolic, or cannot be computed again.
    """
    if _is_symbolic(tensor):
        raise GraphModeNeededError(f"{_named(tensor)} is symbolic and has no value")
    origin = getattr(tensor, _ORIGIN, None)
    if origin is None:
        return tensor
    if origin.operation.obstacle:
        raise GraphModeNeededError(
            f"{_named(tensor)} cannot be computed again for the present values of its variables: "
            f"{origin.operation.obstacle}"
        )
    outputs: dict[_Operation, Any] = {}
    for operation in _up_to(origin.operation):
        inputs = [
            outputs[one.operation][one.place] if isinstance(one, _Origin) else one
            for one in operation.inputs
        ]
        outputs[operation] = _execute(operation, inputs)
    return outputs[origin.operation][origin.place]


def _is_symbolic(tensor: Any) -> bool:
    import tensorflow as tf

    return tf.compat.v1.executing_eagerly_outside_functions() and (
        tf.is_symbolic_tensor(tensor) or hasattr(tensor, "_keras_history")
    )


def _named(tensor: Any) -> str:
    return f"the {tensor.dtype.name} tensor of shape {tensor.shape}"


def _up_to(last: _Operation) -> list[_Operation]:
    """Return an operation and all that it depends on, in an order in which they can be executed."""
    found: set[_Operation] = set()
    waiting = [last]
    while waiting:
        if (operation := waiting.pop()) not in found:
            found.add(operation)
            waiting += [one.operation for one in operation.inputs if isinstance(one, _Origin)]
    return sorted(found, key=lambda one: one.depth)


def _execute(operation: _Operation, inputs: list[Any]) -> Any:
    from tensorflow.python.eager import context, execute

    pairs = zip(operation.attributes[::2], operation.attributes[1::2], strict=True)
    attributes = [part for name, value in pairs if value is not None for part in (name, value)]
    return execute.quick_execute(
        operation.name, operation.outputs, inputs, tuple(attributes), context.context()
    )
