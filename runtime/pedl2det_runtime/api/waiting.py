"""Wait for a condition (``determined.common.util.wait_for``)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(predicate: Callable[[], tuple[bool, T]], timeout: float, interval: float = 0.1) -> T:
    """Call a function until the first of its results is true; return the second.

    Args:
        predicate: the function.
        timeout: seconds to wait.
        interval: seconds between two calls.

    Raises:
        TimeoutError: it was not true in time.
    """
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        done, value = predicate()
        if done:
            return value
        time.sleep(interval)
    raise TimeoutError("timed out waiting for predicate")
