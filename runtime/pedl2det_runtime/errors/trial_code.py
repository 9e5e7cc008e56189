"""Locate an exception in the trial's code and summarize it in one line."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pedl2det_runtime.errors import StrayStopError

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_NODE = re.compile(r"Detected at node '?([^\s']+)'? defined at")
_AUTOGRAPH = "Note: AutoGraph tried to define it automatically, but ran into a "
#: First words of multi-line messages of Keras and TensorFlow.
_REPORTS = ("in user code", "Graph execution error", "Exception encountered when calling")
#: First words of lines of such a message that are no error text.
_NO_MESSAGE = (
    "[[",
    "<stack traces",
    "Detected at node",
    "Node:",
    "Traceback (most",
    "in user code",
)


def location_in_trial(error: BaseException, directory: Path) -> str | None:
    """Return ``file:line`` of the innermost line of the trial that raised an exception.

    TensorFlow lists the frames of traced code in its message. A worker process adds its frames as a
    note. Both take precedence over the traceback, whose line in the trial only starts the training.

    Args:
        error: the exception.
        directory: the trial's directory.

    Returns:
        The location, or None if no frame is in the trial's directory.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    if isinstance(error, StrayStopError):
        return location_in_trial(error.origin, directory)
    texts = [str(error), *getattr(error, "__notes__", ())]
    from_messages = [(file, line) for text in texts for file, line in _FRAME.findall(text)]
    traced = traceback.extract_tb(error.__traceback__)
    for frames in (from_messages, [(frame.filename, frame.lineno) for frame in traced]):
        own = [(file, line) for file, line in frames if directory in Path(file).parents]
        if own:
            return "{}:{}".format(*own[-1])
    return None


def location_of(function: Callable[..., Any]) -> str | None:
    """Return ``file:line`` of a function; None if it is not written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


def one_line(error: BaseException) -> str:
    """Return the type of an exception and the relevant line of its message."""
    kind = type(error).__name__
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    if not lines or not lines[0].startswith(_REPORTS):
        return f"{kind}: {lines[0] if lines else ''}".rstrip(": ")
    message = _message(lines)
    if re.match(r"[\w.]*(Error|Exception|Iteration)\b", message):  # raised in traced code
        kind, _, message = message.partition(":")
    node = _NODE.search(str(error))
    at = f" (at {node[1].removeprefix('while/body/_1/while/')})" if node else ""
    return f"{kind}: {message.strip()}".rstrip(": ") + at


def _message(lines: list[str]) -> str:
    """Return the error text of a multi-line message."""
    for line in lines:
        if line.startswith(_AUTOGRAPH):
            return line.removeprefix(_AUTOGRAPH)
    last = max((number for number, line in enumerate(lines) if line.startswith("File ")), default=0)
    lines = lines[last + 1 :]
    if last and len(lines) > 1:  # skip the source line of that frame
        lines = lines[1:]
    relevant = [
        line
        for line in lines
        if not line.startswith(_NO_MESSAGE) and not re.fullmatch(r"\d+ root error.*", line)
    ]
    # Remove the iterator names that the data pipeline puts before the message.
    return re.sub(r"^.* Iterator::[\w:\[\]]+: ", "", relevant[0]) if relevant else ""
