"""Apply a trial's ``session_config``."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.errors.repeated_warnings import logger

_log = logger(__name__)


def apply(config: Any) -> None:
    """Apply the ``tf.compat.v1.ConfigProto`` that ``session_config`` returned.

    In graph mode it configures the session. In eager mode only the thread counts apply, and only
    before the first TensorFlow operation; otherwise a warning is logged.

    Args:
        config: the ``ConfigProto``; None for the defaults.
    """
    import tensorflow as tf

    if config is None:
        config = tf.compat.v1.ConfigProto()
    if graph_mode.is_chosen():
        # Recurrent layers that read from a dataset need this.
        tf.compat.v1.experimental.output_all_intermediates(True)
        tf.compat.v1.keras.backend.set_session(tf.compat.v1.Session(config=config))
        return
    wanted = {
        tf.config.threading.set_intra_op_parallelism_threads: config.intra_op_parallelism_threads,
        tf.config.threading.set_inter_op_parallelism_threads: config.inter_op_parallelism_threads,
    }
    try:
        for set_threads, count in wanted.items():
            if count > 0:
                set_threads(count)
    except RuntimeError:
        _log.warning(
            "session_config: the trial ran TensorFlow operations before it, "
            "so its thread counts have no effect"
        )
