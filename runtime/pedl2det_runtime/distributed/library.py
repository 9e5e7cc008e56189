"""pyzmq, only where it is needed: a run of one process does without."""

from __future__ import annotations

from typing import Any

from pedl2det_runtime.errors import DistributedError


def zmq() -> Any:
    """The module.

    Raises:
        DistributedError: it is not installed.
    """
    try:
        import zmq
        import zmq.auth.thread
        import zmq.utils.monitor
        import zmq.utils.z85
    except ImportError as error:
        raise DistributedError(
            "processes talk to each other through pyzmq, which is not installed: "
            f"pip install pyzmq ({error})"
        ) from error
    return zmq
