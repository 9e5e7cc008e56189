"""``--diff``: the changes as a patch for ``git apply`` and ``patch``, nothing masked."""

from __future__ import annotations

import difflib

import click

from pedl2det.engine.result import NewFile, Result
from pedl2det.visible import shown


def show_patch(result: Result) -> None:
    """Print the patch of all files."""
    for file in result.files:
        click.echo(patch_of(file), nl=False)


def patch_of(file: NewFile) -> bytes:
    """Return the change of a file as a patch, empty if there is none."""
    name = shown(file.path).lstrip("/")
    before = "/dev/null" if file.old is None else _quoted(f"a/{name}")
    old, new = lines(file.old or b""), lines(file.new)
    patch = "".join(map(_ended, difflib.unified_diff(old, new, before, _quoted(f"b/{name}"))))
    return patch.encode("utf-8", errors="surrogateescape")


def lines(data: bytes) -> list[str]:
    """Split into lines as git counts them; ``surrogateescape`` keeps every byte."""
    text = data.decode("utf-8", errors="surrogateescape").split("\n")
    return [f"{line}\n" for line in text[:-1]] + [line for line in text[-1:] if line]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """Write a file's name as git reads it: in quotes if it holds what would end the line."""
    if all(character >= " " and character not in '"\\\x7f' for character in name):
        return f"{name}\t" if " " in name else name  # patch ends a name at the first space
    escaped = "".join(
        f"\\{ord(c):03o}" if c < " " or c == "\x7f" else f"\\{c}" if c in '"\\' else c for c in name
    )
    return f'"{escaped}"'
