"""Texts as they are shown and printed: paths from here, and nothing that hides."""

from __future__ import annotations

import contextlib
import unicodedata
from pathlib import Path

import click


def shown(path: Path) -> str:
    """Return a path as the user would write it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def visible(text: str) -> str:
    """A text in which what cannot be seen is shown as a code: controls, half characters.

    A file's name may hold anything; some characters turn the reading around, others a terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode() if _is_unseen(one) else one for one in text
    )


def visible_lines(text: str) -> str:
    """The same for a text of several lines: ends of lines and tabs are kept."""
    return "".join(one if one in "\t\n" else visible(one) for one in text)


def say(text: str, *, err: bool = False) -> None:
    """Print lines for people, whoever wrote what is in them.

    Args:
        text: the lines.
        err: print them on stderr; where nobody reads that, they are dropped.
    """
    with contextlib.suppress(*([BrokenPipeError] if err else [])):
        click.echo(text if text.isprintable() else visible_lines(text), err=err)


def _is_unseen(character: str) -> bool:
    category = unicodedata.category(character)
    return category.startswith("C") or category in ("Zl", "Zp")
