"""Start processes that do not outlive this one."""

from __future__ import annotations

import contextlib
import ctypes
import signal


def end_with_parent(number: signal.Signals) -> None:
    """Have Linux end this process if its parent is killed; to be called before ``exec``.

    The parent is the thread that started it. While a parent of many threads dies, the signal may
    arrive several times: for each thread that has inherited the child and dies, too.

    Args:
        number: the signal that ends it.
    """
    set_parent_death_signal = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, number)
