"""The change of a file as an HTML table: old and new side by side, changed words marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import zip_longest

from pedl2det.engine.result import NewFile
from pedl2det.report.hiding import Hider
from pedl2det.report.page import escaped
from pedl2det.report.patch import lines

_GAP = '<tr class="gap"><td colspan="4">&#8942;</td></tr>\n'
_COLUMNS = '<colgroup><col class="n"><col><col class="n"><col></colgroup>\n'
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4  # lines that share less are other lines: their words are not compared


def table(file: NewFile, hider: Hider, anchor: str) -> str:
    """Return the changed lines of a file with those around them.

    Args:
        file: the file.
        hider: masks credentials.
        anchor: begins the ``id`` of each line of the old text: ``ANCHOR-LINE``.
    """
    return f'<table class="diff">\n{_COLUMNS}{"".join(_rows(file, hider, anchor))}</table>'


def _rows(file: NewFile, hider: Hider, anchor: str) -> Iterator[str]:
    old, new = lines(file.old or b""), lines(file.new)
    shown_old, shown_new = (
        hider.in_file(file.path, "".join(side)).split("\n") for side in (old, new)
    )
    end = 0
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes():
        if group[0][1] > end:
            yield _GAP
        for tag, start, end, other, other_end in group:
            for left, right in zip_longest(range(start, end), range(other, other_end)):
                before = "" if left is None else shown_old[left].rstrip("\r")
                after = "" if right is None else shown_new[right].rstrip("\r")
                is_pair = tag == "replace" and None not in (left, right)
                texts = marked(before, after) if is_pair else (escaped(before), escaped(after))
                marks = ("same", "same") if tag == "equal" else ("less", "more")
                cells = _cell(left, texts[0], marks[0], anchor) + _cell(right, texts[1], marks[1])
                yield f"<tr>{cells}</tr>\n"
    if end < len(old):
        yield _GAP


def _cell(index: int | None, text: str, mark: str, anchor: str = "") -> str:
    if index is None:
        return '<td class="n"></td><td></td>'
    name = f' id="{anchor}-{index + 1}"' if anchor else ""
    return f'<td class="n"{name}>{index + 1}</td><td class="{mark}">{text}</td>'


def marked(old: str, new: str) -> tuple[str, str]:
    """Return two lines as HTML, with the words marked in which they differ."""
    sides = _WORD.findall(old), _WORD.findall(new)
    matcher = difflib.SequenceMatcher(None, *sides, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return escaped(old), escaped(new)
    texts = ["", ""]
    for tag, *ends in matcher.get_opcodes():
        for side, (start, end) in enumerate((ends[:2], ends[2:])):
            part = escaped("".join(sides[side][start:end]))
            texts[side] += part if tag == "equal" or not part else f"<mark>{part}</mark>"
    return texts[0], texts[1]
