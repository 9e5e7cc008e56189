"""Read each file once: Python, notebooks and configs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TypeVar

from pedl2det.analysis.config import Config
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import NOTEBOOK
from pedl2det.findings import Unreadable

File = TypeVar("File", Source, Config)


class Reader:
    """Files that were read, and why others could not be."""

    def __init__(self) -> None:
        self._known: dict[Path, Source | Config | Unreadable] = {}

    def source(self, path: Path) -> Source:
        """Read a Python file or a notebook.

        Raises:
            Unreadable: it cannot be read as Python 3.
        """
        from pedl2det.analysis.notebook import NotebookSource

        kind = NotebookSource if path.suffix == NOTEBOOK else Source
        return self._once(path, kind)

    def config(self, path: Path) -> Config:
        """Read a YAML file.

        Raises:
            Unreadable: it is not one YAML document.
        """
        return self._once(path, Config)

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

    def _once(self, path: Path, kind: type[File]) -> File:
        """Read a file for the first time, or return or raise what that gave."""
        if path not in self._known:
            try:
                self._known[path] = kind.read(path)
            except Unreadable as error:
                self._known[path] = error
        value = self._known[path]
        if isinstance(value, Unreadable):
            raise value
        return value  # type: ignore[return-value]
