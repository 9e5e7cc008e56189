"""Random operations of graph mode with states that can be saved and restored.

TensorFlow 1 keeps the position of a random operation inside its kernel. Here such an operation
becomes one call of a function that keeps the position in a variable of the session. It draws the
same numbers. The variable belongs to the function, not to the inputs of the operation, because
Keras evaluates inputs of operations between layers as constants.

Operations of datasets stay as they are: a resumed run reads a dataset again from its beginning.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pedl2det_runtime.backends import graph_mode

if TYPE_CHECKING:
    import numpy.typing as npt

#: Functions of ``gen_random_ops``, and the operation that draws the same numbers from a variable.
_RESUMABLE = {
    "random_uniform": "StatefulUniform",
    "random_uniform_int": "StatefulUniformInt",
    "random_standard_normal": "StatefulStandardNormalV2",
    "truncated_normal": "StatefulTruncatedNormal",
}
_PHILOX = 1


@contextlib.contextmanager
def resumable() -> Iterator[None]:
    """Make random operations of graphs resumable that are created in the ``with`` block."""
    from tensorflow.python.ops import gen_random_ops

    originals = {name: getattr(gen_random_ops, name) for name in _RESUMABLE}
    try:
        for name, original in originals.items():
            setattr(gen_random_ops, name, _resumable(original, _RESUMABLE[name]))
        yield
    finally:
        for name, original in originals.items():
            setattr(gen_random_ops, name, original)


def states() -> list[npt.NDArray[Any]]:
    """Return the state of each operation in the order of creation: position and two seeds."""
    import tensorflow as tf

    if not graph_mode.is_chosen():
        return []
    session = _session()
    with session.graph.as_default():
        first, read = _operations(session.graph)
        for number in range(len(read), len(first)):
            handle = _variable(number, first[number])
            read.append(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int64))
    values: list[npt.NDArray[Any]] = session.run(read)
    return values


def restore(saved: list[npt.NDArray[Any]]) -> None:
    """Restore what :func:`states` returned, also for operations that will be created later."""
    import tensorflow as tf

    session = _session()
    with session.graph.as_default():
        for number, state in enumerate(saved):
            handle = _handle(number)
            session.run(tf.raw_ops.AssignVariableOp(resource=handle, value=state))


def count() -> int:
    """Return the number of resumable operations."""
    return len(_operations(_session().graph)[0])


def _operations(graph: Any) -> tuple[list[list[int]], list[Any]]:
    """Return the first state of each resumable operation of a graph, and tensors of the states.

    Not a collection: ``tf.compat.v1.train.Saver`` would try to export it.
    """
    if not hasattr(graph, "_pedl2det_random"):
        graph._pedl2det_random = ([], [])
    operations: tuple[list[list[int]], list[Any]] = graph._pedl2det_random
    return operations


def not_resumable(model: Any) -> list[str]:
    """Return the types of a compiled model's random operations whose states cannot be saved."""
    graph = _session().graph
    found: set[str] = set()
    waiting = [tensor.op for tensor in (model.total_loss, *model.outputs)]
    seen = set(waiting)
    while waiting:
        op = waiting.pop()
        found.update(_random_types(graph, [op.node_def]))
        before = {*(tensor.op for tensor in op.inputs), *op.control_inputs} - seen
        seen |= before
        waiting += before
    return sorted(found)


def _random_types(graph: Any, nodes: Iterable[Any], seen: frozenset[str] = frozenset()) -> set[str]:
    """Return the types of random operations among nodes and in the functions that they call."""
    found = set()
    for node in nodes:
        if "seed2" in node.attr:
            found.add(node.op)
        called = {value.func.name for value in node.attr.values() if value.HasField("func")}
        for name in called - seen:
            if graph._is_function(name) and "Dataset" not in node.op:
                body = graph._get_function(name).cached_definition.node_def
                found |= _random_types(graph, body, seen | {name})
    return found


def _resumable(original: Callable[..., Any], stateful: str) -> Callable[..., Any]:
    import tensorflow as tf
    from tensorflow.python.framework.tensor_util import constant_value_as_shape

    @functools.wraps(original)
    def make(shape: Any, *others: Any, seed: int = 0, seed2: int = 0, name: Any = None) -> Any:
        outer = _outer_graph()
        if outer is None or (seed, seed2) == (0, 0):  # (0, 0) draws other numbers in each run
            return original(shape, *others, seed=seed, seed2=seed2, name=name)
        is_of_type = stateful != "StatefulUniformInt"  # others: the type, or both bounds
        more = {"dtype": others[0]} if is_of_type else {}
        inputs = [tf.convert_to_tensor(value) for value in (shape, *(() if more else others))]
        first = _operations(outer)[0]
        number = len(first)
        first.append([0, seed2, seed])

        def draw(*inputs: Any) -> Any:
            named = dict(zip(("shape", "minval", "maxval"), inputs, strict=False)) | more
            handle, algorithm = _variable(number, first[number]), tf.constant(_PHILOX, tf.int64)
            return getattr(tf.raw_ops, stateful)(resource=handle, algorithm=algorithm, **named)

        specs = [tf.TensorSpec(value.shape, value.dtype) for value in inputs]
        function = _added(draw, *specs)
        (drawn,) = tf.raw_ops.StatefulPartitionedCall(
            args=inputs, Tout=[function.outputs[0].dtype], f=function, name=name
        )
        drawn.set_shape(constant_value_as_shape(inputs[0]))
        return drawn

    return make


def _outer_graph() -> Any:
    """Return the graph of the session; None in eager mode, in datasets and in initial values."""
    import tensorflow as tf
    from tensorflow.python.framework.func_graph import FuncGraph
    from tensorflow.python.ops.control_flow_v2_func_graphs import ControlFlowFuncGraph

    graph = tf.compat.v1.get_default_graph()
    is_initial_value = "Initializer" in graph.get_name_scope().split("/")
    if is_initial_value or tf.compat.v1.executing_eagerly_outside_functions():
        return None
    while isinstance(graph, ControlFlowFuncGraph):
        graph = graph.outer_graph
    return None if isinstance(graph, FuncGraph) else graph


def _variable(number: int, first: list[int]) -> Any:
    """Return the variable of an operation, with its first state if it has none yet."""
    import tensorflow as tf

    def begin(handle: Any) -> None:
        value = tf.constant(first, tf.int64)
        tf.raw_ops.AssignVariableOp(resource=handle, value=value)

    handle = _handle(number)
    is_set = tf.raw_ops.VarIsInitializedOp(resource=handle)
    spec = tf.TensorSpec((), tf.resource)
    branches = [_added(branch, spec) for branch in (lambda _: None, begin)]
    # Not tf.cond: it would return intermediate values, as session.apply asks for.
    set_now = tf.raw_ops.If(
        cond=is_set, input=[handle], Tout=[], then_branch=branches[0], else_branch=branches[1]
    )
    with tf.control_dependencies([set_now]):
        return tf.identity(handle)


def _added(function: Callable[..., Any], *specs: Any) -> Any:
    """Return a function that is traced and added to the present graph."""
    import tensorflow as tf

    concrete = tf.function(function, autograph=False).get_concrete_function(*specs)
    concrete.add_to_graph(tf.compat.v1.get_default_graph())
    return concrete


def _handle(number: int) -> Any:
    import tensorflow as tf

    name = f"pedl2det_random_{number}"
    return tf.raw_ops.VarHandleOp(dtype=tf.int64, shape=[3], shared_name=name)


def _session() -> Any:
    import tensorflow as tf

    return tf.compat.v1.keras.backend.get_session()
