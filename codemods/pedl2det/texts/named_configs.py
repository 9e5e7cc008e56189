"""Which searcher the config of a command has: whether it trains one trial, or searches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.findings import Unreadable

_LEVELS = 3  # directories above a file outside of a repository
_LITERAL = re.compile(r"[\w./@+-]+")


def searcher_of(file: Path, config: str, directories: Sequence[str]) -> str | None:
    """Return the name of the searcher in a config that a command names.

    Args:
        file: the file that holds the command.
        config: the config, as it is written there.
        directories: where the commands before it went with ``cd``, in order.

    Returns:
        The name; None if the config is not found, cannot be read or has no searcher.
    """
    if not _LITERAL.fullmatch(config):
        return None
    for directory in _working_directories(file, directories):
        if (path := directory / config).is_file():
            try:
                entry = Config.read(path).entry("searcher", "name")
            except Unreadable:
                return None
            return entry.scalar if entry is not None else None
    return None


def _working_directories(file: Path, directories: Sequence[str]) -> Iterator[Path]:
    """Where a command may run: where the file is or above, or where ``cd`` leads from there."""
    known: list[str] = []
    for directory in directories:
        known = [*known, directory] if _LITERAL.fullmatch(directory) else []
    tops = [*_above(file)]
    for moves in (known, known[-1:], []):
        yield from (top.joinpath(*moves) for top in tops)


def _above(file: Path) -> Iterator[Path]:
    """The directory of a file and those above it, as far as its repository reaches."""
    above = file.resolve().parents
    inside = next((n for n, one in enumerate(above, 1) if (one / ".git").exists()), _LEVELS)
    return iter(above[:inside])
