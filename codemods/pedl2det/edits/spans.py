"""Replace spans of a text; every other character stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class Overlap(Exception):  # noqa: N818 - describes the spans; a defect of ours
    """Two spans replace the same characters."""


@dataclass(frozen=True)
class Span:
    """Replace ``text[start:end]``; an empty span inserts."""

    start: int  #: the first character, from 0
    end: int  #: the character after the last one
    text: str  #: the replacement


def apply(text: str, spans: Iterable[Span]) -> str:
    """Return the text with all spans replaced.

    Insertions at one place keep the given order and come before a replacement that starts there.

    Raises:
        Overlap: two spans replace the same characters.
        ValueError: a span lies outside of the text.
    """
    parts: list[str] = []
    done = 0
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if not 0 <= span.start <= span.end <= len(text):
            raise ValueError(f"{span.start}:{span.end} is no span of {len(text)} characters")
        if span.start < done:
            raise Overlap(f"{span.start}:{span.end} begins inside of a replaced span")
        parts += [text[done : span.start], span.text]
        done = span.end
    return "".join([*parts, text[done:]])
