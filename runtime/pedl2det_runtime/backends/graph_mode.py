"""Operations that differ between eager execution and graph mode.

A trial selects graph mode with ``tf.compat.v1.disable_eager_execution()`` or
``tf.compat.v1.disable_v2_behavior()`` at the top of its code. Code that needs graph mode without
selecting it is trained in it too. Keras then trains in a session, with its engine of TensorFlow 1.
Follows docs/semantics.md, Graph mode.
"""

from __future__ import annotations

import os
import re
from typing import Any

from pedl2det_runtime.errors import SELECT_GRAPH_MODE
from pedl2det_runtime.errors.repeated_warnings import logger

_SYMBOLIC = "it uses symbolic tensors of its model as values"
#: Patterns in messages about code that works in graph mode only, and the reason to show.
_REASONS = {
    r"to a TF API that does not (?:allow registering|register)": _SYMBOLIC,
    r"Could not build a TypeSpec for KerasTensor": _SYMBOLIC,
    r"defined in FuncGraph\(name=keras_graph": _SYMBOLIC,
    r"(?:when eager execution is enabled|not compatible with eager execution)": (
        "it uses functions that eager execution does not support"
    ),
    r"has no attribute '(?:total_loss|targets|sample_weights|metrics_tensors|_feed_\w+)'": (
        "it uses tensors of a compiled model"
    ),
    r"unexpected instance while processing input tensors": (
        "it uses the learning phase as an input of a function"
    ),
    r"The Session graph is empty": "it evaluates tensors in a session",
}
#: The message of a ``GraphModeNeededError``.
_NEEDED = re.compile(rf"(?:.*Error: )?(?P<reason>.*); {re.escape(SELECT_GRAPH_MODE)}")
#: The environment variable with which the launcher requests graph mode of all ranks, if 1.
VARIABLE = "PEDL2DET_GRAPH_MODE"
_log = logger(__name__)


def is_requested() -> bool:
    """Return whether the launcher requests graph mode."""
    return os.environ.get(VARIABLE) == "1"


def is_chosen() -> bool:
    """Return whether graph mode is selected."""
    import tensorflow as tf

    return not tf.executing_eagerly()


def choose() -> None:
    """Select graph mode for the rest of this process."""
    import tensorflow as tf

    tf.compat.v1.disable_eager_execution()


def reason_for(error: BaseException) -> str | None:
    """Return why code that failed in eager mode needs graph mode.

    Args:
        error: the exception. Keras and TensorFlow replace exceptions by others that repeat their
            messages, so the messages are searched.

    Returns:
        The reason; None if the exception has another cause, or graph mode is selected.
    """
    reason: str | None = None
    cause: BaseException | None = None if is_chosen() else error
    while cause is not None:
        reason = _reason_in(str(cause)) or reason
        cause = cause.__cause__  # not __context__: the trial may have handled that
    return reason


def _reason_in(message: str) -> str | None:
    if match := _NEEDED.search(message):
        return match["reason"]
    return next((reason for part, reason in _REASONS.items() if re.search(part, message)), None)


def seed_graphs(seed: int) -> None:
    """Seed every graph of this process that has no seed.

    ``tf.random.set_seed`` seeds the current graph only. A trial that selects graph mode builds its
    model in another one, and ``K.clear_session`` creates a new one.
    ``keras_versions.restored_afterwards`` undoes this.
    """
    import tensorflow as tf

    def seed_of(graph: Any) -> int:
        return seed if graph._seed is None else graph._seed

    tf.Graph.seed = property(seed_of, tf.Graph.seed.fset)


def value(variable: Any) -> Any:
    """Return the value of a variable or tensor as a NumPy array or number."""
    import tensorflow as tf

    return tf.keras.backend.get_value(variable)


def assign(variable: Any, new: Any) -> None:
    """Set the value of a variable."""
    import tensorflow as tf

    tf.keras.backend.set_value(variable, new)


def readable(dataset: Any) -> Any:
    """Convert a dataset for graph mode; return it unchanged in eager mode.

    Keras' engine of TensorFlow 1 does not turn inputs and targets of shape (records,) into columns.

    Args:
        dataset: batches ``x``, ``(x, y)`` or ``(x, y, weights)``.
    """
    if not is_chosen():
        return dataset
    import tensorflow as tf

    def as_column(tensor: Any) -> Any:
        return tf.expand_dims(tensor, -1) if tensor.shape.rank == 1 else tensor

    def prepare(x: Any, y: Any = None, *weights: Any) -> Any:
        x, y = tf.nest.map_structure(as_column, x), tf.nest.map_structure(as_column, y)
        return x if y is None else (x, y, *weights)

    return dataset.map(prepare)


def evaluate(model: Any, dataset: Any, steps: int | None, callbacks: list[Any]) -> dict[str, Any]:
    """Call ``model.evaluate`` and return the metrics by name."""
    fixed = {"steps": steps, "verbose": 0, "callbacks": callbacks}
    if not is_chosen():
        logs: dict[str, Any] = model.evaluate(dataset, return_dict=True, **fixed)
        return logs
    values = model.evaluate(dataset, **fixed)
    return dict(
        zip(model.metrics_names, values if isinstance(values, list) else [values], strict=True)
    )


def metrics_of(logs: dict[str, Any]) -> dict[str, Any]:
    """Return the metrics in a callback's logs, without the batch counts of graph mode."""
    return {name: value for name, value in logs.items() if name not in ("batch", "size")}


def apply_session_config(config: Any) -> None:
    """Apply the ``tf.compat.v1.ConfigProto`` that ``session_config`` returned.

    In graph mode it configures the session. In eager mode only the thread counts apply, and only
    before the first TensorFlow operation; otherwise a warning is logged.
    """
    import tensorflow as tf

    if config is None:
        config = tf.compat.v1.ConfigProto()
    if is_chosen():
        # Recurrent layers that read from a dataset need this.
        tf.compat.v1.experimental.output_all_intermediates(True)
        tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=config))
        return
    thread_counts = {
        tf.config.threading.set_intra_op_parallelism_threads: config.intra_op_parallelism_threads,
        tf.config.threading.set_inter_op_parallelism_threads: config.inter_op_parallelism_threads,
    }
    try:
        for set_threads, count in thread_counts.items():
            if count > 0:
                set_threads(count)
    except RuntimeError:
        _log.warning(
            "session_config: the trial ran TensorFlow operations before it, "
            "so its thread counts have no effect"
        )
