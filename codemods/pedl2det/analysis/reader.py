"""Read each file once: Python, notebooks and configs."""

from __future__ import annotations

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
        if path not in self._sources:
            self._sources[path] = _source(path)
        return _or_raise(self._sources[path])

    def config(self, path: Path) -> Config:
        """Read a YAML file.

        Raises:
            Unreadable: it is not one YAML document.
        """
        if path not in self._configs:
            try:
                self._configs[path] = Config.read(path)
            except Unreadable as error:
                self._configs[path] = error
        return _or_raise(self._configs[path])

    def source_or_none(self, path: Path) -> Source | None:
        """Read a Python file or a notebook; None if it cannot be read."""
        try:
            return self.source(path)
        except Unreadable:
            return None

    def config_or_none(self, path: Path) -> Config | None:
        """Read a YAML file; None if it cannot be read."""
        try:
            return self.config(path)
        except Unreadable:
            return None


def _source(path: Path) -> Source | Unreadable:
    from pedl2det.analysis.notebook import NotebookSource

    try:
        return NotebookSource.read(path) if path.suffix == NOTEBOOK else Source.read(path)
    except Unreadable as error:
        return error


def _or_raise(value: Value | Unreadable) -> Value:
    if isinstance(value, Unreadable):
        raise value
    return value
