"""Extract the innermost reason from the message of an exception of Keras or TensorFlow.

Their messages nest. "in user code" holds the error of traced code, "Exception encountered when
calling layer" that of a layer, "Detected at node" that of an operation. Around the reason they
print tracebacks, the arguments of the layer and the names of nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A message that holds another one. The text after it is the message of the inner exception.
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
_FRAME = re.compile(r'(?P<indent>\s*)File "[^"]+", line \d+')
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


@dataclass(frozen=True)
class Reason:
    """The innermost error that a message reports.

    Attributes:
        kind: the class of the error; empty if the message does not name it.
        text: its message in one line; may be empty.
        place: the layer that raised it with the shapes of its inputs, or the node; may be empty.
    """

    kind: str
    text: str
    place: str


def reason_in(message: str) -> Reason:
    """Return the innermost reason in the message of an exception."""
    wrappers = [*_WRAPPER.finditer(message)]
    inner = message[wrappers[-1].end() :] if wrappers else message
    lines = _reasons(_AFTERWARDS.split(inner, 1)[0])
    text = lines[0] if lines else ""
    if text.endswith(":") and len(lines) > 1:
        text = f"{text} {lines[1]}"
    kind = next((one["kind"] for one in wrappers[::-1] if one["kind"]), "")
    if wrappers and (named := _KIND.fullmatch(text)):
        kind, text = named["kind"], named["text"] or ""
    return Reason(kind, text, _layer(message, wrappers, text) or _node(message))


def _reasons(message: str) -> list[str]:
    """Return the lines of a message that are no traceback and no names of nodes."""
    lines: list[str] = []
    frame: int | None = None  # indentation of the frame whose source lines follow
    for line in message.splitlines():
        indent = len(line) - len(line.lstrip())
        if found := _FRAME.match(line):
            frame = len(found["indent"])
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
    layers = [one for one in wrappers if one["layer"]]
    if not layers or re.search(r"layer ['\"]", text):
        return ""
    arguments = message[layers[-1].end() :].partition("Call arguments received by")[2]
    inputs = arguments.partition("•")[2].partition("•")[0]
    shapes = ", ".join(_SHAPE.findall(inputs))
    called = f", inputs {shapes}" if shapes else ""
    return f"in {layers[-1]['type']} layer {layers[-1]['layer']!r}{called}"


def _node(message: str) -> str:
    """Return the node that failed; one without the name of a layer or a function says nothing."""
    node = _NODE.search(message)
    if node is None or "/" not in node[1]:
        return ""
    return "at " + re.sub(r"(/[^/]+)\1$", r"\1", node[1])
