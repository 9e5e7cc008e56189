"""Start processes that do not outlive this one."""

from __future__ import annotations

import contextlib
import ctypes
import signal


def end_with_parent() -> None:
    """Have Linux end this process in order if its parent is killed; to be called before ``exec``.

    The parent is the thread that started it.
    """
    set_parent_death_signal = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
