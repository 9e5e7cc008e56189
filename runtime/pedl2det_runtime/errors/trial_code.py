"""Where in the trial an error came from, and what it says, in one line each."""

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
#: How Keras and TensorFlow begin what is a whole report.
_REPORTS = ("in user code", "Graph execution error", "Exception encountered when calling")
_NO_MESSAGE = (
    "[[",
    "<stack traces",
    "Detected at node",
    "Node:",
    "Traceback (most",
    "in user code",
)


def place(error: BaseException, directory: Path) -> str | None:
    """``file:line`` of the trial where an error came from; None where it has no part in it.

    TensorFlow tells the lines of traced code in its message, a worker process those of its batch
    in a note; both are nearer than the line that began the training.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    if isinstance(error, StrayStopError):
        return place(error.origin, directory)
    texts = [str(error), *getattr(error, "__notes__", ())]
    told = [(file, line) for text in texts for file, line in _FRAME.findall(text)]
    frames = traceback.extract_tb(error.__traceback__)
    for found in (told, [(frame.filename, frame.lineno) for frame in frames]):
        own = [(file, line) for file, line in found if directory in Path(file).parents]
        if own:
            return "{}:{}".format(*own[-1])
    return None


def place_of(function: Callable[..., Any]) -> str | None:
    """``file:line`` of a function, if it is written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


def said(error: BaseException) -> str:
    """The kind of an error and the line of its message that says what is wrong."""
    kind = type(error).__name__
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    if not lines or not lines[0].startswith(_REPORTS):
        return f"{kind}: {lines[0] if lines else ''}".rstrip(": ")
    message = _message(lines)
    if re.match(r"[\w.]*(Error|Exception|Iteration)\b", message):  # what was raised in traced code
        kind, _, message = message.partition(":")
    node = _NODE.search(str(error))
    at = f" (at {node[1].removeprefix('while/body/_1/while/')})" if node else ""
    return f"{kind}: {message.strip()}".rstrip(": ") + at


def _message(lines: list[str]) -> str:
    for line in lines:
        if line.startswith(_AUTOGRAPH):
            return line.removeprefix(_AUTOGRAPH)
    last = max((number for number, line in enumerate(lines) if line.startswith("File ")), default=0)
    lines = lines[last + 1 :]
    if last and len(lines) > 1:  # the code of that frame
        lines = lines[1:]
    telling = [
        line
        for line in lines
        if not line.startswith(_NO_MESSAGE) and not re.fullmatch(r"\d+ root error.*", line)
    ]
    # The data pipeline says its own names before the message.
    return re.sub(r"^.* Iterator::[\w:\[\]]+: ", "", telling[0]) if telling else ""
