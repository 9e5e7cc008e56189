"""What members and hub write to each other: a kind, a header in JSON, and objects in pieces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pedl2det_runtime.distributed.collective import Step

HELLO = b"hello"  # member: this is who I am
WELCOME = b"welcome"  # hub: these are all of us
GIVE = b"give"  # member: a step, and what I give
ALL = b"all"  # hub: what all gave
FAIL = b"fail"  # either: it is over, and why
BYE = b"bye"  # member: I leave
STILL_THERE = b"still there"  # hub: no answer is wanted

#: Signs of life pass between the frames of a message, never within one: an object of 1 GB over a
#: slow line must not look like silence.
PIECE = 4 << 20

#: The longest frame there is: a piece and what encryption adds, or a header.
LONGEST = PIECE + (1 << 16)


def header(**content: Any) -> bytes:
    """Some values as one frame."""
    return json.dumps(content).encode()


def read_header(frame: Any) -> dict[str, Any]:
    """The values of a frame. The sender is authenticated; this is not a parser of foreign data."""
    content: dict[str, Any] = json.loads(bytes(frame))
    return content


def failure(why: str) -> list[bytes]:
    """The message that it is over."""
    return [FAIL, why.encode()[:10_000]]


def read_failure(frame: Any) -> str:
    """Why it is over."""
    return bytes(frame).decode(errors="replace")


def step_header(step: Step) -> bytes:
    """A step as one frame."""
    return header(**asdict(step))


def read_step(frame: Any) -> Step:
    """The step of a frame."""
    return Step(**read_header(frame))


def pieces(data: bytes) -> list[memoryview]:
    """An object in frames, without a copy."""
    view = memoryview(data)
    return [view[start : start + PIECE] for start in range(0, len(view), PIECE)]


def joined(frames: Sequence[Any]) -> memoryview:
    """The object of frames."""
    if len(frames) == 1:
        return memoryview(frames[0].buffer)
    data = bytearray(sum(len(frame.buffer) for frame in frames))
    at = 0
    for frame in frames:
        part = frame.buffer
        data[at : at + len(part)] = part
        at += len(part)
    return memoryview(data)
