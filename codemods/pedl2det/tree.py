"""The files below some paths that migrate may look at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

YAML = (".yaml", ".yml")
NOTEBOOK = ".ipynb"

#: How the names of other files end that may name the old package or its commands.
OTHER = (".sh", ".txt", ".in", ".toml", ".cfg", *YAML)

_ENDS = (".py", NOTEBOOK, *OTHER)
_PRUNED = {".git", ".hg", ".venv", "venv", ".nox", ".tox", "node_modules", "__pycache__"}
_PRUNED |= {".ipynb_checkpoints"}


def files_below(paths: list[Path]) -> list[Path]:
    """Every file at or below some paths that may matter, once, in order.

    A link is a file of the directory that it stands in. A path that is a file is taken whatever its
    name.
    """
    found = {file.parent.resolve() / file.name for path in paths for file in _below(path, _ENDS)}
    return sorted(found)


def python_files(path: Path) -> Iterator[Path]:
    """The Python files at or below a path, in order, without environments and caches."""
    yield from _below(path, (".py",))


def is_python(file: Path) -> bool:
    """Whether a file that was found is Python: by its name, or because nothing else is known."""
    return file.suffix not in (NOTEBOOK, *OTHER)


def _below(path: Path, ends: tuple[str, ...]) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for directory, subdirectories, files in os.walk(path):
        subdirectories[:] = sorted(set(subdirectories) - _PRUNED)
        found = (Path(directory, name) for name in sorted(files) if name.endswith(ends))
        yield from (file for file in found if file.is_file())  # no dangling link
