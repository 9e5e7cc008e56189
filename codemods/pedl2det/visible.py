"""Make texts printable, and print them."""

from __future__ import annotations

import contextlib
import os
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import click


def shown(path: Path) -> str:
    """Return a path as the user would write it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def visible(text: str) -> str:
    """Return a text with escapes for invisible characters: controls, surrogates.

    A file's name may hold anything: some characters reverse the text, others control a terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() or unicodedata.category(char) == "Zs"  # a space of some width
        else char.encode("unicode_escape").decode()
        for char in text
    )


def visible_lines(text: str) -> str:
    """Return a text with escapes for invisible characters except line ends and tabs."""
    return "".join(char if char in "\t\n" else visible(char) for char in text)


def printable(name: str) -> str:
    """Return a text that every encoding can write: undecodable bytes become escapes."""
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")


def say(text: str, *, err: bool = False) -> None:
    """Print a text for people, with escapes; ignore a closed stderr."""
    with contextlib.suppress(*([BrokenPipeError] if err else [])):
        click.echo(text if text.isprintable() else visible_lines(text), err=err)


def is_coloured(stream: IO[Any]) -> bool:
    """Tell whether colours may be written to a stream (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


@contextlib.contextmanager
def unread_stdout_ignored() -> Iterator[None]:
    """End the block if nobody reads stdout any more, and discard what is printed later."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # so that Python can flush stdout when it exits
        os.close(nowhere)
