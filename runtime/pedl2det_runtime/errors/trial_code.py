"""Locate an exception in the trial's code and summarize it in one line."""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pedl2det_runtime.errors import StrayStopError
from pedl2det_runtime.errors.reasons import reason_in

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
#: Starts the note that :func:`defined_at` adds.
_DEFINED = "This is for code that is defined at "


@contextmanager
def defined_at(function: Callable[..., Any]) -> Iterator[None]:
    """Note on each exception where the trial defines ``function``."""
    try:
        yield
    except Exception as error:
        add_definition(error, function)
        raise


def add_definition(error: Exception, function: Callable[..., Any]) -> None:
    """Note on an exception where the trial defines what it concerns.

    Args:
        error: the exception; its first such note counts.
        function: a function of the trial, such as its ``build_model``.
    """
    error.add_note(f"{_DEFINED}{location_of(function)}")


def definition_in_trial(error: BaseException, directory: Path) -> str | None:
    """Return ``file:line`` of :func:`add_definition`, if that is in the trial's directory."""
    for note in notes_of(error):
        location = note.removeprefix(_DEFINED)
        if location != note and directory in Path(location).parents:
            return str(location)
    return None


def place_in_trial(error: BaseException, directory: Path) -> str:
    """Return ``file:line`` of what raised an exception, else of what it concerns.

    Args:
        error: the exception.
        directory: the trial's directory, which is returned if no line of it is known.
    """
    return (
        location_in_trial(error, directory)
        or definition_in_trial(error, directory)
        or str(directory)
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
    texts = [str(error), *notes_of(error)]
    from_messages = [(file, line) for text in texts for file, line in _FRAME.findall(text)]
    traced = traceback.extract_tb(error.__traceback__)
    for frames in (from_messages, [(frame.filename, frame.lineno) for frame in traced]):
        own = [(file, line) for file, line in frames if directory in Path(file).parents]
        if own:
            return "{}:{}".format(*own[-1])
    return None


def notes_of(error: BaseException) -> list[str]:
    """Return the notes of an exception (``add_note``)."""
    return getattr(error, "__notes__", [])


def location_of(function: Callable[..., Any]) -> str | None:
    """Return ``file:line`` of a function; None if it is not written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else None


def one_line(error: BaseException) -> str:
    """Return the type of an exception, the innermost reason in its message, and its notes.

    An exception that was raised ``from`` another one is followed by the reason of that one.
    """
    reason = reason_in(_message(error))
    line = f"{reason.kind or type(error).__name__}: {reason.text}".rstrip(": ")
    more = [note for note in notes_of(error) if "\n" not in note and _DEFINED not in note]
    if reason.place:
        line = f"{line.rstrip('.')} ({reason.place})"
    line = "; ".join([line.rstrip(".") if more else line, *more])
    cause = error.__cause__
    is_noted = cause is not None and str(cause) in notes_of(error)  # a worker's traceback
    if cause is None or is_noted or reason_in(_message(cause)).text in line:
        return line
    return f"{line}; because of {one_line(cause)}"


def _message(error: BaseException) -> str:
    """Return the message; ``str`` of a ``KeyError`` quotes it."""
    sentence = error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else None
    return sentence if isinstance(sentence, str) and " " in sentence else str(error)
