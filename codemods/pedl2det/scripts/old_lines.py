"""The places of rewritten scripts, at the lines of the scripts as they are on the disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pedl2det.analysis.project import Reading
from pedl2det.findings import Finding


def origins(old: Sequence[str], new: Sequence[str]) -> tuple[int, ...]:
    """For each line of a new text, the line of the old text that it came from.

    A line that is new came from where the line before it did.
    """
    old_bare, new_bare = [line.strip() for line in old], [line.strip() for line in new]
    known = _unique(old_bare, new_bare) | _unique(old, new)
    found, last = [], 0
    for number, line in enumerate(new_bare):
        follows = last < len(old) and old_bare[last] == line
        last = known.get(number, last + 1 if follows else last)
        found.append(max(last, 1))
    return tuple(found)


def _unique(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The lines that both texts have once: the old line by the index of the new one."""
    once = {line for line, count in Counter(old).items() if count == 1 and line.strip()}
    again = {line for line, count in Counter(new).items() if count == 1}
    places = {line: number for number, line in enumerate(old, 1)}
    return {number: places[line] for number, line in enumerate(new) if line in once & again}


def at_old_lines(reading: Reading, placed: Iterable[Any]) -> list[Any]:
    """Findings and changes in rewritten scripts, at the lines of the scripts on the disk."""
    found = []
    for one in placed:
        script = reading.scripts.get(one.path)
        if script is not None and 0 < one.line <= len(script.lines):
            line = script.lines[one.line - 1]
            one = replace(one, line=line)
            if isinstance(one, Finding):
                one = _with_code(one, reading.originals[one.path].lines[line - 1])
        found.append(one)
    return found


def _with_code(finding: Finding, code: str) -> Finding:
    """A finding with a line of the old text, which may be indented otherwise."""
    if not finding.column or finding.code.strip() != code.strip():
        return replace(finding, code=code, column=0, end_column=0)
    shift = len(code) - len(code.lstrip()) - (len(finding.code) - len(finding.code.lstrip()))
    column, end = finding.column + shift, finding.end_column + shift
    return replace(finding, code=code, column=column, end_column=end)
