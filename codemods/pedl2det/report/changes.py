"""The change of a file: as a patch for ``git apply`` and ``patch``, and side by side."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from pedl2det.engine.result import NewFile
from pedl2det.report.hiding import Hider
from pedl2det.visible import shown

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4  # lines that share less are other lines: their words are not compared

#: The parts of a line, each with whether it differs from the other side.
Parts = list[tuple[str, bool]]


@dataclass(frozen=True)
class Line:
    """A line of the old or of the new text."""

    number: int
    mark: str  # "same", "less" or "more"
    parts: Parts


def patch_of(file: NewFile) -> bytes:
    """Return the change of a file as a patch with nothing masked, empty if there is none."""
    name = shown(file.path).lstrip("/")
    before = "/dev/null" if file.old is None else _quoted(f"a/{name}")
    old, new = _lines(file.old or b""), _lines(file.new)
    patch = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, before, _quoted(f"b/{name}"))
    )
    return patch.encode("utf-8", errors="surrogateescape")


def _lines(data: bytes) -> list[str]:
    """Split into lines as git counts them; ``surrogateescape`` keeps every byte."""
    text = data.decode("utf-8", errors="surrogateescape").split("\n")
    return [f"{line}\n" for line in text[:-1]] + [line for line in text[-1:] if line]


def _quoted(name: str) -> str:
    """Write a file's name as git reads it: in quotes if it holds what would end the line."""
    if all(character >= " " and character not in '"\\\x7f' for character in name):
        return f"{name}\t" if " " in name else name  # patch ends a name at the first space
    escaped = "".join(
        f"\\{ord(c):03o}" if c < " " or c == "\x7f" else f"\\{c}" if c in '"\\' else c for c in name
    )
    return f'"{escaped}"'


def side_by_side(file: NewFile, hider: Hider) -> Iterator[list[Line | None] | None]:
    """Yield the changed lines of a file with those around them; None for lines left out.

    Each is a pair of an old and a new line, or None where one side has no line.
    """
    sides = _lines(file.old or b""), _lines(file.new)
    texts = [hider.in_file(file.path, "".join(side)).split("\n") for side in sides]
    end = 0
    for group in difflib.SequenceMatcher(None, *sides).get_grouped_opcodes():
        if group[0][1] > end:
            yield None
        for tag, start, end, other, other_end in group:
            marks = ("same", "same") if tag == "equal" else ("less", "more")
            for places in zip_longest(range(start, end), range(other, other_end)):
                pair = [
                    "" if place is None else text[place].rstrip("\r")
                    for place, text in zip(places, texts, strict=True)
                ]
                compares = tag == "replace" and None not in places
                parts = compare_words(*pair) if compares else [[(text, False)] for text in pair]
                yield [
                    None if place is None else Line(place + 1, mark, part)
                    for place, mark, part in zip(places, marks, parts, strict=True)
                ]
    if end < len(sides[0]):
        yield None


def compare_words(old: str, new: str) -> list[Parts]:
    """Return the parts of two lines, and whether they differ."""
    sides = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, *sides, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [[(old, False)], [(new, False)]]
    parts: list[Parts] = [[], []]
    for tag, *ends in matcher.get_opcodes():
        for side, start, end in ((0, *ends[:2]), (1, *ends[2:])):
            if start < end:
                parts[side].append(("".join(sides[side][start:end]), tag != "equal"))
    return parts
