"""The files below some paths that migrate may look at."""

from __future__ import annotations

import contextlib
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
    found = {
        (*parts, name)
        for path in paths
        for directory, names in _below(path, _ENDS)
        for parts in [directory.resolve().parts]
        for name in names
    }
    return [Path(*parts) for parts in sorted(found)]


def python_files(path: Path) -> Iterator[Path]:
    """The Python files at or below a path, in order, without environments and caches."""
    for directory, names in _below(path, (".py",)):
        yield from (directory / name for name in names)


def files_in(directory: Path, ends: tuple[str, ...]) -> list[Path]:
    """The files of a directory whose names end so, in order."""
    return [directory / name for name in _listed(directory, ends)[1]]


def is_python(file: Path) -> bool:
    """Whether a file that was found is Python: by its name, or because nothing else is known."""
    return file.suffix not in (NOTEBOOK, *OTHER)


def _below(path: Path, ends: tuple[str, ...]) -> Iterator[tuple[Path, list[str]]]:
    """Each directory at or below a path and the names of files in it, in order."""
    if path.is_file():
        yield path.parent, [path.name]
        return
    directories, names = _listed(path, ends)
    if names:
        yield path, names
    for name in directories:
        yield from _below(path / name, ends)


def _listed(path: Path, ends: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The directories in a directory that are looked into, and its files, in order."""
    directories: set[str] = set()
    names = []
    with contextlib.suppress(OSError), os.scandir(path) as entries:  # some may not be read
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                directories.add(entry.name)
            elif entry.name.endswith(ends) and entry.is_file():  # no dangling link
                names.append(entry.name)
    return sorted(directories - _PRUNED), sorted(names)
