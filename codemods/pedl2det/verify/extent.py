"""Find the files that a trial needs: its directory, and what it imports or reads around it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.project import Project, Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import PRUNED

#: A directory above the trial with more bytes or files than these is not copied as a whole.
BUDGET = 2 * 1024**3
MOST_FILES = 20_000
_LEFT_OUT = {*PRUNED, ".svn", ".mypy_cache", ".pytest_cache"}
_PATH = re.compile(r"[^\s'\"=:,;()\[\]{}]*/[^\s'\",;()\[\]{}]*")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_LONGEST = 250  # bytes of a path
_LEVELS = 4  # above the trial, in which a missing module is looked for
_UPWARDS_IN_TEXT = re.compile(r"(?<![\w./-])\.\.(?:/[^\s'\",\]}#]*)?")


@dataclass(frozen=True)
class Extent:
    """The files that a trial needs."""

    home: Path  # the trial's directory
    root: Path  # the directory that holds all that it needs
    paths: tuple[Path, ...]  # what is copied: the root itself, or some paths in it


def extent_of(home: Path, more: Sequence[Path] = (), *, tight: bool = False) -> Extent:
    """Find the files that a trial needs.

    If they are in several directories, the nearest common parent is copied where that is small;
    otherwise only they are. ``tight`` leaves out what only lies around them, and what only a config
    names; ``more`` are other paths that the trial needs.
    """
    named = {home, *more, *_around(home, tight=tight)}
    root = Path(os.path.commonpath(named))
    if root == home or (not tight and is_small(root)):
        return Extent(home, root, (root,))
    kept = {path for path in named if not home.is_relative_to(path) or path == home}
    kept |= {path for path in named if is_small(path)}
    return Extent(home, Path(os.path.commonpath(kept)), tuple(sorted(kept)))


def project_of(home: Path) -> Project | None:
    """Return the project of a trial's directory."""
    found = [project for project in discover([home]).projects if project.has_trial]
    return next((project for project in found if project.home == home), next(iter(found), None))


def is_left_out(path: Path) -> bool:
    """Tell whether a path is version control, a cache, an environment, or results of a run.

    A directory that has checkpoints and no metrics may be data.
    """
    is_results = (path / "checkpoints").is_dir() and (path / "metrics.jsonl").is_file()
    return path.name in _LEFT_OUT or (path / "pyvenv.cfg").is_file() or is_results


def is_small(directory: Path) -> bool:
    """Tell whether a directory can be copied as a whole: 2 GB and 20,000 files at most."""
    files, size = 0, 0
    for parent, names, here in os.walk(directory):
        names[:] = [name for name in names if not is_left_out(Path(parent, name))]
        files += len(here)
        size += sum(path.stat().st_size for name in here if (path := Path(parent, name)).exists())
        if files > MOST_FILES or size > BUDGET:
            return False
    return True


def missing_paths(message: str, root: Path, extent: Extent) -> list[Path]:
    """Return the originals of files that a copied trial did not find, by its error."""
    home = root / extent.home.relative_to(extent.root)
    found = []
    for text in _PATH.findall(message):
        place = Path(os.path.normpath(home / text))
        if place.is_relative_to(root.parent) and not place.exists():
            found.append(extent.root.parent / place.relative_to(root.parent))
    for dotted in _MODULE.findall(message):
        name = dotted.partition(".")[0]
        for parent in list(extent.home.parents)[:_LEVELS]:
            found += [parent / f"{name}.py", parent / name]
    return [path for path in found if path.exists()]


def _around(home: Path, *, tight: bool) -> Iterator[Path]:
    """The existing paths outside of a trial's directory that its code and configs name."""
    reader = Reader()
    project = project_of(home)
    modules = set(project.modules.values()) if project is not None else set()
    modules |= {path for path in home.rglob("*.py") if "site-packages" not in path.parts}
    named = [file for file in sorted(modules) if not file.is_relative_to(home)]
    for source in filter(None, map(reader.source_or_none, sorted(modules))):
        named += _named_paths(source, home, tight=tight)
    configs = (*home.glob("*.y*ml"), *(project.configs if project is not None else ()))
    for config in () if tight else configs:
        text = config.read_text("utf-8", "replace")
        named += [home / found for found in _UPWARDS_IN_TEXT.findall(text)]
    for path in map(Path, map(os.path.normpath, named)):
        existing = path
        while not existing.exists():
            existing = existing.parent
        if not (path.is_relative_to(home) or (existing != path and home.is_relative_to(existing))):
            yield existing


def _named_paths(source: Source, home: Path, *, tight: bool) -> Iterator[Path]:
    """Paths that lead upwards from the trial's directory, such as ``../data`` in a string.

    A path too many is only copied; one that code computes is looked for when a run misses it.
    """
    for node in source.names.of(ast.Constant):
        text = node.value
        if isinstance(text, str) and len(text.encode(errors="replace")) <= _LONGEST:
            path = Path(text.lstrip("/"))
            if ".." in path.parts and not (tight and not text.strip("./")):
                yield home / path
