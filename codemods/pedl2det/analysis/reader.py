"""Read each file once: Python, notebooks and configs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pedl2det.analysis.config import Config
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import NOTEBOOK
from pedl2det.findings import Unreadable

Value = TypeVar("Value")


class Reader:
    """Files that were read, and why others could not be."""

    def __init__(self) -> None:
        self._sources: dict[Path, Source | Unreadable] = {}
        self._configs: dict[Path, Config | Unreadable] = {}

    def source(self, path: Path) -> Source:
        """Read a Python file or a notebook.

        Raises:
            Unreadable: it cannot be read as Python 3.
        """
        return _once(self._sources, path, _source)

    def config(self, path: Path) -> Config:
        """Read a YAML file.

        Raises:
            Unreadable: it is not one YAML document.
        """
        return _once(self._configs, path, Config.read)

    def source_or_none(self, path: Path) -> Source | None:
        """Read a Python file or a notebook; None if it cannot be read."""
        with contextlib.suppress(Unreadable):
            return self.source(path)
        return None

    def config_or_none(self, path: Path) -> Config | None:
        """Read a YAML file; None if it cannot be read."""
        with contextlib.suppress(Unreadable):
            return self.config(path)
        return None


def _source(path: Path) -> Source:
    from pedl2det.analysis.notebook import NotebookSource

    return NotebookSource.read(path) if path.suffix == NOTEBOOK else Source.read(path)


def _once(
    known: dict[Path, Value | Unreadable], path: Path, read: Callable[[Path], Value]
) -> Value:
    """Read a file for the first time, or return or raise what that gave."""
    if path not in known:
        try:
            known[path] = read(path)
        except Unreadable as error:
            known[path] = error
    value = known[path]
    if isinstance(value, Unreadable):
        raise value
    return value
