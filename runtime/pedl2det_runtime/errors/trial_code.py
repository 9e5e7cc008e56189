"""Locate an exception in the trial's code, and summarize it in one line.

The messages of Keras and TensorFlow nest. "in user code" holds the error of traced code, "Exception
encountered when calling layer" that of a layer, "Detected at node" that of an operation. Around the
reason they print tracebacks, the arguments of the layer and the names of nodes.
"""

from __future__ import annotations

import inspect
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det_runtime.errors import StrayStopError

#: The start of a message that contains another one: the text after it is the inner message.
_WRAPPER = re.compile(
    r"Note: AutoGraph tried to define it automatically, but ran into an? "
    r"|(?:(?P<kind>\w+): )?Exception encountered when calling (?:layer )?"
    r"['\"]?(?P<layer>[^'\"\s]+)['\"]? \(type (?P<type>\w+)\)\.?"
    r"|(?:\w+: )?in user code:"
    r"|Graph execution error:"
    r"|Error in user-defined function .*? iterator: Iterator::[\w:\[\]]+: "
)
#: What Keras and TensorFlow print after the reason.
_AFTERWARDS = re.compile(
    r"^\s*(Call arguments received by|Original stack trace for|Errors may have originated from"
    r"|Input Source operations)",
    re.MULTILINE,
)
_MESSAGE_FRAME = re.compile(r'(?P<indent>\s*)File "[^"]+", line \d+')
_NO_REASON = re.compile(
    r"\[\[|<stack traces|Detected at node|Node:|Traceback \(most|\d+ root error|\d+ successful op"
    r"|\d+ derived error"
)
_KIND = re.compile(r"(?P<kind>[\w.]*(?:Error|Exception|Iteration|Interrupt))(?:: (?P<text>.*)|$)")
#: Noise within a line, and what replaces it.
_NOISE = (
    (re.compile(r"^\(\d+\) +[A-Z_]+: +"), ""),
    (re.compile(r"^(?:[\w:\[\]]+ )*Iterator::[\w:\[\]]+: "), ""),
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r"'?\{\{node ([^}]+)\}\} = \w+\[.*?\]\([^()]*\)'?"), r"\1"),
    (re.compile(r" ?\[Op:\w+\].*$"), ""),
)
_NODE = re.compile(
    r"Detected at node '?(?:(?:gradient_tape|while|body|_\d+|(?:Stateful)?PartitionedCall)/)*"
    r"([^\s']+)"
)
_SHAPE = re.compile(r"shape=(\([^)]*\))")
_TRACED_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
#: Starts the note that :func:`defined_at` adds.
_DEFINED = "This error concerns code that is defined at "


@dataclass(frozen=True)
class Reason:
    """The innermost error that a message reports."""

    kind: str  #: the class of the error; empty if the message does not name it
    text: str  #: its message in one line; may be empty
    place: str  #: the layer that raised it with the shapes of its inputs, or the node; may be empty


def reason_in(message: str) -> Reason:
    """Return the innermost reason in the message of an exception."""
    wrappers = [*_WRAPPER.finditer(message)]
    inner = message[wrappers[-1].end() :] if wrappers else message
    lines = _reasons(_AFTERWARDS.split(inner, 1)[0])
    text = lines[0] if lines else ""
    if text.endswith(":") and len(lines) > 1:
        text = f"{text} {lines[1]}"
    kind = next((wrapper["kind"] for wrapper in wrappers[::-1] if wrapper["kind"]), "")
    if wrappers and (named := _KIND.fullmatch(text)):
        kind, text = named["kind"], named["text"] or ""
    return Reason(kind, text, _layer(message, wrappers, text) or _node(message))


def _reasons(message: str) -> list[str]:
    """Return the lines of a message that are neither a traceback nor names of nodes."""
    lines: list[str] = []
    frame: int | None = None  # indentation of the frame whose source lines follow
    for line in message.splitlines():
        indent = len(line) - len(line.lstrip())
        if match := _MESSAGE_FRAME.match(line):
            frame = len(match["indent"])
        elif line.strip() and not (frame is not None and indent > frame):
            frame = None
            if not _NO_REASON.match(line.strip()):
                lines.append(_without_noise(line.strip()))
    return lines


def _without_noise(line: str) -> str:
    for noise, replacement in _NOISE:
        line = noise.sub(replacement, line)
    return line.strip()


def _layer(message: str, wrappers: list[re.Match[str]], text: str) -> str:
    """Describe the innermost layer of a message, unless the reason names one."""
    layers = [wrapper for wrapper in wrappers if wrapper["layer"]]
    if not layers or re.search(r"layer ['\"]", text):
        return ""
    arguments = message[layers[-1].end() :].partition("Call arguments received by")[2]
    inputs = arguments.partition("•")[2].partition("•")[0]
    shapes = ", ".join(_SHAPE.findall(inputs))
    called = f", inputs {shapes}" if shapes else ""
    return f"in {layers[-1]['type']} layer {layers[-1]['layer']!r}{called}"


def _node(message: str) -> str:
    """Return the node that failed, if its name includes a layer or a function."""
    node = _NODE.search(message)
    if node is None or "/" not in node[1]:
        return ""
    return "at " + re.sub(r"(/[^/]+)\1$", r"\1", node[1])


@contextmanager
def defined_at(function: Callable[..., Any]) -> Iterator[None]:
    """Add a note to exceptions of the ``with`` block: where the trial defines ``function``."""
    try:
        yield
    except Exception as error:
        add_definition(error, function)
        raise


def add_definition(error: Exception, function: Callable[..., Any]) -> None:
    """Add a note to an exception: where the function that it concerns is defined."""
    error.add_note(f"{_DEFINED}{location_of(function)}")


def definition_in_trial(error: BaseException, directory: Path) -> str | None:
    """Return the first ``file:line`` noted by :func:`add_definition` in the trial's directory."""
    for note in notes_of(error):
        location = note.removeprefix(_DEFINED)
        if location != note and directory in Path(location).parents:
            return location
    return None


def place_in_trial(error: BaseException, directory: Path) -> str:
    """Return ``file:line`` of the trial's code that raised an exception.

    If it is unknown, return that of the function that the exception concerns, else the directory.
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
    None if no frame is in the trial's directory.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    if isinstance(error, StrayStopError):
        return location_in_trial(error.origin, directory)
    texts = [str(error), *notes_of(error)]
    from_messages = [frame for text in texts for frame in _TRACED_FRAME.findall(text)]
    stack = traceback.extract_tb(error.__traceback__)
    for frames in (from_messages, [(frame.filename, frame.lineno) for frame in stack]):
        for file, line in reversed(frames):
            if directory in Path(file).parents:
                return f"{file}:{line}"
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
    """Return the message of an exception; ``str`` would quote that of a ``KeyError``."""
    sentence = error.args[0] if isinstance(error, KeyError) and len(error.args) == 1 else None
    return sentence if isinstance(sentence, str) and " " in sentence else str(error)


def stray_stop(error: BaseException) -> StrayStopError:
    """Return the ``StrayStopError`` to raise instead of an exception."""
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    return StrayStopError(
        f"{text}: this exception was not caught, and Keras treats it as the end of the training "
        "data: catch it, or raise another exception",
        error,
    )


@contextmanager
def kept_from_keras() -> Iterator[None]:
    """Replace ``StopIteration`` and ``OutOfRangeError`` raised in the ``with`` block.

    Keras catches them around callbacks and data; it would end the training and report success.

    Raises:
        StrayStopError: the block raised one of them.
    """
    import tensorflow as tf

    try:
        yield
    except (StopIteration, tf.errors.OutOfRangeError) as error:
        raise stray_stop(error) from error
