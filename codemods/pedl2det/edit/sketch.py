"""A file without what no edit looks at, so that libcst reads a part of it and not the whole.

Where statements follow each other that nothing happens to, a name stands for all of them; their
bytes come back untouched. What stays: edited statements and those around them, what an edit asked
to be shown, imports of the module and docstrings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pedl2det.edit.kept import Kept
from pedl2det.edit.splices import Splice, spliced
from pedl2det.facts.source import NEWLINE, Source
from pedl2det.findings import NoPlace

_NAME = "_left_out_"


@dataclass(frozen=True)
class Sketch:
    """A file's text with names for what is left out.

    Attributes:
        text: the text.
        lines: where lines of the file stand in it: the first one, and those that were asked for.
        name: how the names begin.
        left_out: for each name its line in the file, its indent, and what it stands for.
    """

    text: str
    lines: dict[int, int]
    name: str
    left_out: list[tuple[int, str, str]]

    def line_in_file(self, line: int) -> int:
        """The line of the file from which a line comes."""
        above = [one for one in self.lines.items() if one[1] <= line]
        in_file, in_sketch = max(above, key=lambda one: one[1])
        return in_file + line - in_sketch

    def restored(self, text: str) -> str:
        """An edited text with what was left out.

        Raises:
            NoPlace: an edit took it to another indent, which its lines cannot follow.
        """

        def put_back(match: re.Match[str]) -> str:
            line, indent, left_out = self.left_out[int(match[2])]
            if match[1] != indent:
                raise NoPlace(line, "this cannot be moved as it is: give each statement its lines")
            return indent + left_out

        return re.sub(rf"([ \t\f]*){self.name}(\d+)", put_back, text)


def sketch(
    source: Source, splices: Sequence[Splice], lines: set[int], whole: Sequence[ast.stmt]
) -> Sketch:
    """A file for its edits of statements.

    Args:
        source: the file.
        splices: what expressions in it have become already.
        lines: on which statements begin that are edited, or looked at.
        whole: statements that stay with all that is in them.
    """
    name = _NAME
    while name in source.text:
        name += "_"
    text, at, line = "", 0, 1
    places: dict[int, int] = {}
    left_out: list[tuple[int, str, str]] = []
    marks = [(source.offset((number, 0)), 0, number) for number in {1, *lines}]
    for start, end, number in sorted([*marks, *Kept(source, lines, whole).cuts()]):
        before = spliced(source.text, splices, at, start)
        text += before
        line += len(NEWLINE.findall(before))
        at = start
        if end:
            text += f"{name}{len(left_out)}"
            left_out.append((number, source.indent(number), spliced(source.text, splices, at, end)))
            at = end
        else:
            places[number] = line
    text += spliced(source.text, splices, at, len(source.text))
    return Sketch(text, places, name, left_out)
