"""What a ``session_config`` means: the session of a graph; in eager mode the threads."""

from __future__ import annotations

import logging
from typing import Any

from pedl2det_runtime.backends import graph_mode

_log = logging.getLogger(__name__)


def apply(config: Any) -> None:
    """Use the ``tf.compat.v1.ConfigProto`` that a trial returned from ``session_config``.

    In graph mode it configures the session. Eager TensorFlow has none, and takes the numbers of
    threads from it, if no operation has run yet; afterwards they are fixed, and a warning says so.
    """
    import tensorflow as tf

    if config is None:  # a session of TensorFlow 1 took it for its defaults
        config = tf.compat.v1.ConfigProto()
    if graph_mode.is_chosen():
        # Recurrent layers read from a dataset, as all data here, need it.
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
            "so its numbers of threads have no effect"
        )
