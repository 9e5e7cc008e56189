"""Write down which lines of a trial are executed while it trains.

Each line is written when it is executed first, so that the log is whole whatever becomes of the
process, its threads and its forks.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any

_IDLE = 5_000  # lines that a function executes without a new one, before it is left alone


class Watch:
    """Traces the code below a directory, from the first module of it on."""

    def __init__(self, directory: str, log: str) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._directory = directory + os.sep
        self._seen: set[tuple[str, int]] = set()
        self._idle: Counter[CodeType] = Counter()
        self._traces = False

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Be told of an event by the interpreter: a hook of `sys.addaudithook`."""
        if event == "exec" and not self._traces and self._is_of_trial(arguments[0]):
            self._traces = True
            atexit.register(self._add_converted)
            self._trace_threads_of_tensorflow()
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)

    def _is_of_trial(self, code: CodeType) -> bool:
        return code.co_filename.startswith(self._directory)

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        if not frame.f_code.co_filename.startswith(self._directory):
            return None
        return self._on_line if self._idle[frame.f_code] <= _IDLE else None

    def _on_line(self, frame: FrameType, event: str, argument: Any) -> Any:  # noqa: ARG002
        if event == "line":
            self._idle[frame.f_code] += 1
            self._add(frame.f_code, [frame.f_lineno])
        return self._on_line

    def _add(self, code: CodeType, lines: Iterable[int | None]) -> None:
        for line in lines:
            place = code.co_filename, line or 0
            if place not in self._seen:
                self._seen.add(place)
                self._idle[code] = 0
                os.write(self._log, f"{place[1]} {place[0]}\n".encode(errors="surrogateescape"))

    def _trace_threads_of_tensorflow(self) -> None:
        """Trace generators and functions that TensorFlow calls on threads of its own."""
        from tensorflow.python.ops import script_ops

        call = script_ops.FuncRegistry.__call__

        def traced(*arguments: Any) -> Any:
            sys.settrace(self._on_call)
            return call(*arguments)

        script_ops.FuncRegistry.__call__ = traced

    def _add_converted(self) -> None:
        """Count functions as executed of which AutoGraph has made others."""
        from tensorflow.python.autograph.impl import api

        for code in filter(self._is_of_trial, list(api._TRANSPILER._cache._cache)):
            self._add(code, (line for _, _, line in code.co_lines()))
