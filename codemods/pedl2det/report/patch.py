"""``--diff``: the changes as a patch that ``git apply`` takes, without credentials.

A credential beside a change is left out of the context, and the patch still applies. Where that
cannot be, it is shown as stars, under a name that no file has: such a patch is refused whole.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

import click

from pedl2det.engine.result import NewFile, Result
from pedl2det.report.hiding import Hider
from pedl2det.report.lines import Lines, both_sides
from pedl2det.report.text import shown

_CONTEXT = 3
_MASKED = " (credentials hidden)"

Op = tuple[str, int, int, int, int]


@dataclass(frozen=True)
class Patch:
    """The patch of one file.

    Attributes:
        text: the patch.
        warning: what stands in the way of applying it, or nothing.
    """

    text: str
    warning: str = ""


def show_patch(result: Result) -> None:
    """Print the patch of all files; what stands in its way goes to stderr."""
    hider = Hider.of(result)
    patches = [patch_of(file, hider) for file in result.files]
    for patch in patches:
        click.echo(patch.text.encode("utf-8", errors="surrogateescape"), nl=False)
    for patch in patches:
        if patch.warning:
            click.echo(patch.warning, err=True)


def patch_of(file: NewFile, hider: Hider) -> Patch:
    """The change of a file as a patch."""
    old, new = both_sides(file, hider)
    name = shown(file.path)
    hidden = {line for line in range(len(old.real)) if old.hides(line, line + 1)}
    hunks = list(_hunks(old, new, hidden))
    mark = warning = ""
    if file.old is not None and not all(_applies(hunk, old, new) for hunk in hunks):
        mark = _MASKED
        hunks = list(_hunks(old, new, set()))
        warning = (
            f"{name}: a credential stands in a line that changes or right behind it, and the patch "
            "hides it: git apply refuses the patch; migrate without --diff writes the file"
        )
    target = f"{name.lstrip('/')}{mark}"
    before = "/dev/null" if file.old is None else _quoted(f"a/{target}")
    header = f"--- {before}\n+++ {_quoted(f'b/{target}')}\n"
    body = "".join(line for hunk in hunks for line in _hunk_lines(hunk, old, new))
    return Patch(header + body if hunks else "", warning)


def _hunks(old: Lines, new: Lines, hidden: set[int]) -> Iterator[list[Op]]:
    """The changes with the lines around them, up to one that is to be left out."""
    opcodes = difflib.SequenceMatcher(None, old.real, new.real).get_opcodes()
    hunk: list[Op] = []
    for index, (tag, start, end, other, other_end) in enumerate(opcodes):
        if tag != "equal":
            hunk.append((tag, start, end, other, other_end))
            continue
        is_between = 0 < index < len(opcodes) - 1
        if is_between and end - start <= 2 * _CONTEXT and hidden.isdisjoint(range(start, end)):
            hunk.append((tag, start, end, other, other_end))
            continue
        if hunk:
            size = _clear(hidden, range(start, min(end, start + _CONTEXT)))
            yield [*hunk, *_context(start, size, other)]
        size = _clear(hidden, range(end - 1, max(start, end - _CONTEXT) - 1, -1))
        hunk = _context(end - size, size, other_end - size)
    if any(op[0] != "equal" for op in hunk):
        yield hunk


def _applies(hunk: list[Op], old: Lines, new: Lines) -> bool:
    """Whether git can place a hunk, and the hunk shows what it changes.

    Without a line behind the change git looks for its place at the end of the file, and may find
    one there; without any line it takes the first line for the beginning.
    """
    _, start, _, _, _ = hunk[0]
    tag, _, end, _, _ = hunk[-1]
    if (tag != "equal" and end < len(old.real)) or (start == end <= 1):
        return False
    return not any(
        tag != "equal" and (old.hides(start, end) or new.hides(other, other_end))
        for tag, start, end, other, other_end in hunk
    )


def _clear(hidden: set[int], lines: range) -> int:
    """How many of some lines may be shown before one that may not."""
    return next((count for count, line in enumerate(lines) if line in hidden), len(lines))


def _context(start: int, size: int, other: int) -> list[Op]:
    return [("equal", start, start + size, other, other + size)] if size else []


def _hunk_lines(hunk: list[Op], old: Lines, new: Lines) -> Iterator[str]:
    yield f"@@ -{_range(hunk[0][1], hunk[-1][2])} +{_range(hunk[0][3], hunk[-1][4])} @@\n"
    for tag, start, end, other, other_end in hunk:
        if tag == "equal":
            yield from (_ended(f" {line}") for line in old.shown[start:end])
        else:
            yield from (_ended(f"-{line}") for line in old.shown[start:end])
            yield from (_ended(f"+{line}") for line in new.shown[other:other_end])


def _range(start: int, end: int) -> str:
    if end == start:
        return f"{start},0"
    return f"{start + 1}" if end == start + 1 else f"{start + 1},{end - start}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """A file's name as git reads it: in quotes if it holds what would end the line."""
    if all(character >= " " and character not in '"\\\x7f' for character in name):
        return name
    escaped = "".join(
        f"\\{ord(c):03o}" if c < " " or c == "\x7f" else f"\\{c}" if c in '"\\' else c for c in name
    )
    return f'"{escaped}"'
