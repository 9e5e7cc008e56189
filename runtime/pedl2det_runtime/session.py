"""What of a ``session_config`` still means something without a session: the threads."""

from __future__ import annotations

import logging
from typing import Any

_log = logging.getLogger(__name__)


def apply(config: Any) -> None:
    """Use the numbers of threads that a ``tf.compat.v1.ConfigProto`` asks for.

    To be called before TensorFlow has run an operation; afterwards they are fixed, and a warning
    says so. The other fields concern a session, and eager TensorFlow has none.
    """
    import tensorflow as tf

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
