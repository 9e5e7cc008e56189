"""Sessions of TensorFlow 1 in eager mode, where each tensor has its value already.

A session computed ``norm = tf.norm(weights)`` anew on each ``run``. In eager mode ``norm`` has the
value of its creation. Operations that depend on variables are therefore recorded on their tensors,
and executed again when a session evaluates these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from pedl.old_names import NeedsGraphModeError
from pedl2det_legacy import sessions
from pedl2det_runtime.errors import GraphModeNeededError

_ORIGIN = "_pedl_origin"
#: Operations that read a variable.
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")
#: How the names of compiled functions begin.
_FUNCTIONS = "__"
#: The longest recorded chain of operations; a chain that grows with each batch must end.
_LONGEST_CHAIN = 200


@dataclass(frozen=True, eq=False)
class _Operation:
    name: str  #: its type
    #: a recorded operation and the index of its output, or a tensor, for each input
    inputs: tuple[Any, ...]
    attributes: tuple[Any, ...]  #: its attributes, names and values in turn
    outputs: int  #: the number of its outputs
    chain: int  #: the length of the longest chain of recorded operations that ends with it
    obstacle: str | None  #: why it cannot be executed again; None if it can


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
    origins = [getattr(tensor, _ORIGIN, None) for tensor in inputs]
    before = [origin[0] for origin in origins if origin]
    calls = name.startswith(_FUNCTIONS) and any(each.dtype == "resource" for each in inputs)
    if not (before or name in _READS or calls):
        return
    chain = 1 + max((each.chain for each in before), default=0)
    obstacle = next((each.obstacle for each in before if each.obstacle), _obstacle(name, chain))
    sources = (origin or tensor for origin, tensor in zip(origins, inputs, strict=True))
    kept = () if obstacle else tuple(sources)
    recorded = _Operation(name, kept, attributes, len(outputs), chain, obstacle)
    for place, output in enumerate(outputs):
        setattr(output, _ORIGIN, (recorded, place))


def _obstacle(name: str, chain: int) -> str | None:
    """Return why an operation cannot be executed again; None if it can."""
    from tensorflow.python.framework import op_def_registry

    if chain > _LONGEST_CHAIN:
        return f"it takes more than {_LONGEST_CHAIN} operations"
    if name.startswith(_FUNCTIONS):
        return "it is computed by a tf.function"
    known = op_def_registry.get(name)
    if known is None or (known.is_stateful and name not in _READS):
        return f"the operation {name} has side effects or draws random numbers"
    return None


def reading_visibly(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap TensorFlow's execution of operations, which reads variables in native code.

    An operation on a variable falls back to the execution in Python, which reads the variable with
    an operation of its own.
    """
    from tensorflow.python.eager import core
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    @functools.wraps(original)
    def execute(context: Any, operation: str, name: Any, *arguments: Any) -> Any:
        for argument in arguments:
            parts = argument if isinstance(argument, list | tuple) else (argument,)
            if any(isinstance(part, BaseResourceVariable) for part in parts):
                raise core._FallbackException(operation)
        return original(context, operation, name, *arguments)

    return execute


def present(tensor: Any) -> Any:
    """Return an eager tensor with the present values of the variables that it depends on.

    Raises:
        GraphModeNeededError: it is symbolic, or cannot be computed again.
    """
    import tensorflow as tf

    if not tf.compat.v1.executing_eagerly_outside_functions():
        return tensor
    if tf.is_symbolic_tensor(tensor) or hasattr(tensor, "_keras_history"):
        raise GraphModeNeededError(f"{_describe(tensor)} is symbolic and has no value")
    operation, place = getattr(tensor, _ORIGIN, (None, 0))
    if operation is None:
        return tensor
    if operation.obstacle:
        raise GraphModeNeededError(
            f"{_describe(tensor)} cannot be computed again for the present values of its "
            f"variables: {operation.obstacle}"
        )
    return _execute(operation, {})[place]


def _describe(tensor: Any) -> str:
    return f"the {tensor.dtype.name} tensor of shape {tensor.shape}"


def _execute(operation: _Operation, done: dict[_Operation, Any]) -> Any:
    """Execute an operation and all that it depends on; return its outputs."""
    from tensorflow.python.eager import context, execute

    if operation not in done:
        inputs = [
            _execute(each[0], done)[each[1]] if isinstance(each, tuple) else each
            for each in operation.inputs
        ]
        pairs = zip(operation.attributes[::2], operation.attributes[1::2], strict=True)
        attributes = [part for name, value in pairs if value is not None for part in (name, value)]
        done[operation] = execute.quick_execute(
            operation.name, operation.outputs, inputs, tuple(attributes), context.context()
        )
    return done[operation]


def evaluated(tensor: Any, feed_dict: Any = None, session: Any = None) -> Any:
    """Return the value of an eager tensor, for ``tensor.eval()``; None for an operation."""
    return None if tensor is None else present(tensor).numpy()


def evaluating(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap ``K.eval`` to return the present value."""
    return functools.wraps(original)(lambda x: original(present(x)))


class EagerSession(sessions.Session):
    """``tf.Session`` in eager mode; in graph mode the constructor returns a real session."""

    def _value(self, fetch: Any) -> Any:
        return evaluated(fetch)

    def _fail(self, reason: str) -> NoReturn:
        raise NeedsGraphModeError(f"tf.{reason}")


def get_session() -> Any:
    """Return the session of the graph, or one for eager mode."""
    session = sessions.get_session()
    is_eager = isinstance(session, sessions.Session)
    return EagerSession() if is_eager else session  # type: ignore[no-untyped-call]


set_session = sessions.set_session
