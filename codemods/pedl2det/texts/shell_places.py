"""Where files of each kind hold text for a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

_FENCE = re.compile(r"(?m)^[ \t>]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*$")
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_INDENTED = re.compile(r"(?m)^(?: {4}|\t)[ \t]*(\S[^\n]*)$")
_COMMAND = re.compile(r"(?:[$%>] )?(?:sudo )?(?:pedl|pedl2det|det|pip3?|python3? -m pip) ")
_SHELLS = {"", "bash", "console", "sh", "shell", "shell-session", "text", "txt", "zsh"}
_MAGIC = re.compile(
    r"(?m)^[ \t]*(?:[\w., \t]+=[ \t]*)?"
    r"(?:!!?|%(?:sc|sx|system)\b[ \t]*|%(?=pip\b)|(?=pip3?[ \t]+install\b))"
    r"((?:\\\r?\n|[^\n])*)"
)
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_CELL = re.compile(r"\s*%%(?:bash|sh|!|sx|system|script[ \t]+(?:ba|z)?sh)\b[^\n]*\n")


@dataclass(frozen=True)
class Place:
    """A part of a text that a shell reads.

    Attributes:
        start: its first character.
        end: the character after its last one.
        placeholders: whether ``<host>`` is a word, as in documentation.
    """

    start: int
    end: int
    placeholders: bool = False


def is_shell_file(path_name: str) -> bool:
    """Whether a file may hold commands for a shell."""
    return _kind(path_name) != ""


def is_makefile(path_name: str) -> bool:
    """Whether each line of a file is for a shell of its own."""
    path = PurePath(path_name)
    return path.name.startswith(_MAKEFILES) or path.suffix == ".mk"


def places(path_name: str, text: str) -> Iterator[Place]:
    """Every part of a text that is for a shell.

    Args:
        path_name: the file; ``.ipynb`` for the text of one cell of a notebook.
        text: the text.
    """
    match _kind(path_name):
        case "cell":
            yield from _cell(text)
        case "markdown":
            yield from _markdown(text)
        case "shell":
            yield Place(0, len(text))


def _kind(path_name: str) -> str:
    path = PurePath(path_name)
    if path.suffix == ".ipynb":
        return "cell"
    if path.suffix in (".md", ".markdown"):
        return "markdown"
    is_named = path.name.startswith("Dockerfile") or is_makefile(path_name)
    return "shell" if is_named or path.suffix in (".bash", ".sh", ".zsh") else ""


def _cell(text: str) -> Iterator[Place]:
    head = _CELL.match(text)
    if head is not None:
        yield Place(head.end(), len(text))
        return
    for line in _MAGIC.finditer(text):
        yield Place(line.start(1), line.end(1))


def _markdown(text: str) -> Iterator[Place]:
    """Fenced blocks of a shell, indented lines and inline code that are commands."""
    at = 0
    while at <= len(text):
        fence = _FENCE.search(text, at)
        end = fence.start() if fence else len(text)
        for found in (*_INLINE.finditer(text, at, end), *_INDENTED.finditer(text, at, end)):
            if _COMMAND.match(found[1]) and "`" not in found[1]:
                yield Place(found.start(1), found.end(1), placeholders=True)
        if fence is None:
            return
        close = re.compile(rf"(?m)^[ \t>]*{fence[1]}+[ \t]*$").search(text, fence.end())
        at = close.end() if close else len(text) + 1
        if fence[2].lower() in _SHELLS:
            yield Place(fence.end(), close.start() if close else len(text), placeholders=True)
        elif fence[2].lower() in ("python", "ipython"):
            for line in _MAGIC.finditer(text, fence.end(), close.start() if close else len(text)):
                yield Place(line.start(1), line.end(1), placeholders=True)
