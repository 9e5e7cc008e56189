"""SIGTERM and SIGINT end a run in order: after a checkpoint, where there is something to save.

Before the training loop runs, and after it, a signal raises :class:`Interrupted` at once. While it
runs, the loop asks :func:`asked` between executions. A second signal ends the process at once, also
while TensorFlow or other native code runs: a thread hears of it.
"""

from __future__ import annotations

import contextlib
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
_PATIENCE = 2.0  # seconds in which a run that does not train must end in order

_first: int | None = None
_is_training = False


@contextlib.contextmanager
def heeded() -> Iterator[None]:
    """End in order on a signal, while this is entered; to be called in the main thread.

    What is ignored (as ``nohup`` has it) stays ignored.

    Raises:
        Interrupted: there was a signal.
    """
    global _first
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [one for one in _SIGNALS if signal.getsignal(one) != signal.SIG_IGN]
    before = {one: signal.signal(one, _handle) for one in numbers}
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
        os.close(writing)  # the thread ends
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def in_order() -> Iterator[None]:
    """While this is entered, :func:`asked` is looked at, and a first signal raises nothing.

    Raises:
        Interrupted: there was a signal already, which somebody caught.
    """
    if _first is not None:
        raise Interrupted(_first)
    with patiently():
        yield


@contextlib.contextmanager
def patiently() -> Iterator[None]:
    """While this is entered, the process may take its time to end."""
    global _is_training
    _is_training = True
    try:
        yield
    finally:
        _is_training = False


def asked() -> int | None:
    """The signal that asks the run to end, if there was one."""
    return _first


def _handle(number: int, _frame: FrameType | None) -> None:
    global _first
    if _first is None:
        _first = number
        if not _is_training:
            raise Interrupted(number)


def _listen(pipe: int) -> None:
    """Hear of signals while the main thread is in native code."""
    first = None
    while data := os.read(pipe, 1):
        if data[0] not in _SIGNALS:
            continue
        if first is not None:
            _leave(first)
        first = data[0]
        if not _is_training:
            threading.Thread(target=_leave_soon, args=(first,), daemon=True).start()
    os.close(pipe)


def _leave_soon(number: int) -> None:
    """End a process in which somebody caught the exception, or native code goes on."""
    time.sleep(_PATIENCE)
    if not _is_training:
        sys.stderr.write(f"pedl2det: {Interrupted(number)}\n")
        _leave(number)


def _leave(number: int) -> None:
    with contextlib.suppress(Exception):
        sys.stderr.flush()
        sys.stdout.flush()
    os._exit(128 + number)


_inherited: dict[signal.Signals, Any] = {}


def _forget_in_child() -> None:
    """Forked processes (data workers, those of the trial's code) end as they would without us."""
    if _inherited:
        signal.set_wakeup_fd(-1)
        for number, handler in _inherited.items():
            signal.signal(number, handler)
        _let_through()
        _inherited.clear()


def _hold_back() -> None:
    """Until a forked process has forgotten our handlers, nothing reaches it: it shares the pipe."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _inherited)


def _let_through() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _inherited)


os.register_at_fork(
    before=_hold_back, after_in_parent=_let_through, after_in_child=_forget_in_child
)
