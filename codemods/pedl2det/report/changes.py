"""The change of a file: as a patch for ``git apply`` and ``patch``, and for pages."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import islice

from pedl2det.engine.migration import NewFile
from pedl2det.report.hiding import Hider
from pedl2det.visible import shown

_STYLES = {"-": "less", "+": "more", "@": "gap"}


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


def changed_lines(file: NewFile, hider: Hider) -> Iterator[tuple[str, str]]:
    """Yield the lines of the change of a file without credentials, each with its style."""
    old, new = (
        hider.in_file(file.path, "".join(_lines(data or b""))).split("\n")
        for data in (file.old, file.new)
    )
    for line in islice(difflib.unified_diff(old, new, lineterm=""), 2, None):
        yield _STYLES.get(line[0], "same"), line.removesuffix("\r")
