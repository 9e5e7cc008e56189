"""SIGTERM and SIGINT: save a checkpoint, then exit.

Before and after training a signal raises :class:`Interrupted` at once. During training the loop
checks :func:`received` between executions. A second signal ends the process at once; a thread reads
signals from a pipe, so this works while TensorFlow or other native code runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from pedl2det_runtime.errors import Interrupted

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_GRACE_PERIOD = 2.0  # seconds for a process that does not train to exit
_TOGETHER = 0.2  # seconds in which signals are one: the death of a parent sends several

_first: int | None = None
_is_training = False


@contextlib.contextmanager
def handled() -> Iterator[None]:
    """Handle signals in this context; does nothing outside the main thread.

    Signals that are ignored, for example by ``nohup``, stay ignored.

    Raises:
        Interrupted: a signal arrived.
    """
    global _first
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, _handle) for number in numbers}
    _first = None
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reading,), daemon=True).start()
    _inherited.update(before)
    try:
        yield
    finally:
        _inherited.clear()
        signal.set_wakeup_fd(wakeup)
        os.close(writing)  # ends the thread
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Do not raise on the first signal in this context; the caller checks :func:`received`.

    Raises:
        Interrupted: a signal arrived earlier, and the trial's code caught its exception.
    """
    if _first is not None:
        raise Interrupted(_first)
    with without_time_limit():
        yield


@contextlib.contextmanager
def without_time_limit() -> Iterator[None]:
    """Do not end the process by force after a first signal in this context."""
    global _is_training
    _is_training = True
    try:
        yield
    finally:
        _is_training = False


def received() -> int | None:
    """Return the first signal that arrived, or None."""
    return _first


def _handle(number: int, _frame: FrameType | None) -> None:
    global _first
    if _first is None:
        _first = number
        if not _is_training:
            raise Interrupted(number)


def _listen(pipe: int) -> None:
    """Read signals from the pipe, also while the main thread is in native code."""
    first, began = None, 0.0
    while data := os.read(pipe, 1):
        if data[0] not in _SIGNALS:
            continue
        if first is not None:
            if time.monotonic() - began > _TOGETHER:
                _exit(first)
            continue
        first, began = data[0], time.monotonic()
        if not _is_training:
            threading.Thread(target=_exit_later, args=(first,), daemon=True).start()
    os.close(pipe)


def _exit_later(number: int) -> None:
    """End a process that caught the exception, or that stays in native code."""
    time.sleep(_GRACE_PERIOD)
    if not _is_training:
        sys.stderr.write(f"pedl2det: {Interrupted(number)}\n")
        _exit(number)


def _exit(number: int) -> None:
    with contextlib.suppress(Exception):
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(128 + number)


_inherited: dict[signal.Signals, Any] = {}


def _reset_in_child() -> None:
    """Restore the inherited handlers in forked processes, such as data workers."""
    if _inherited:
        signal.set_wakeup_fd(-1)
        for number, handler in _inherited.items():
            signal.signal(number, handler)
        _unblock()
        _inherited.clear()


def _block() -> None:
    """Block signals until a forked process has its own handlers: it shares our pipe."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _inherited)


def _unblock() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _inherited)


os.register_at_fork(before=_block, after_in_parent=_unblock, after_in_child=_reset_in_child)


def end_with_parent(number: signal.Signals) -> None:
    """Have Linux end this process if its parent is killed; to be called before ``exec``.

    The parent is the thread that started it. While a parent of many threads dies, the signal may
    arrive several times: for each thread that has inherited the child and dies, too.
    """
    set_parent_death_signal = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, number)
