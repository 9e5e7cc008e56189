"""Find the files that a trial needs: its directory, and what it imports or reads around it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.project_files import Project
from pedl2det.analysis.reader import Reader
from pedl2det.verify.copying import BUDGET, is_left_out
from pedl2det.verify.path_expressions import named_in_text, named_paths

#: A directory above the trial with more files than this is not copied as a whole.
MOST_FILES = 20_000
_PATH = re.compile(r"[^\s'\"=:,;()\[\]{}]*/[^\s'\",;()\[\]{}]*")
_MODULE = re.compile(r"No module named '([\w.]+)'")
_LEVELS = 4


@dataclass(frozen=True)
class Extent:
    """The files that a trial needs.

    Attributes:
        home: the trial's directory.
        root: the directory that holds all that it needs.
        paths: what is copied: the root itself, or some paths in it.
    """

    home: Path
    root: Path
    paths: tuple[Path, ...]


def extent_of(home: Path, more: Sequence[Path] = (), *, tight: bool = False) -> Extent:
    """Find the files that a trial needs.

    If they are in several directories, the nearest common parent is copied where that is small;
    otherwise only they are.

    Args:
        home: the trial's directory, resolved.
        more: other paths that it needs.
        tight: leave out what only lies around these, and what only a config names.
    """
    named = {home, *more, *_around(home, in_configs=not tight)}
    root = Path(os.path.commonpath(named))
    if root == home:
        return Extent(home, home, (home,))
    if not tight and is_small(root):
        return Extent(home, root, (root,))
    kept = {one for one in named if not home.is_relative_to(one) or one == home or is_small(one)}
    root = Path(os.path.commonpath(kept))
    return Extent(home, root, tuple(sorted(kept)))


def project_of(home: Path) -> Project | None:
    """Return the project of a trial's directory."""
    found = [one for one in discover([home]).projects if one.has_trial]
    return next((one for one in found if one.home == home), next(iter(found), None))


def is_small(directory: Path) -> bool:
    """Tell whether a directory can be copied as a whole: 2 GB and 20,000 files at most."""
    files, size = 0, 0
    for parent, names, here in os.walk(directory):
        names[:] = [name for name in names if not is_left_out(Path(parent, name))]
        files += len(here)
        for name in here:
            try:
                size += Path(parent, name).stat().st_size
            except OSError:  # a dangling link
                continue
        if files > MOST_FILES or size > BUDGET:
            return False
    return True


def missing_paths(message: str, root: Path, extent: Extent) -> list[Path]:
    """Return the originals of files that a copied trial did not find.

    Args:
        message: the error of the trial.
        root: the copied root.
        extent: what was copied.
    """
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
    return [one for one in found if one.exists()]


def _around(home: Path, *, in_configs: bool) -> Iterator[Path]:
    """The existing paths outside of a trial's directory that its code and configs name."""
    reader = Reader()
    project = project_of(home)
    modules = set(project.modules.values()) if project is not None else set()
    modules |= {one for one in home.rglob("*.py") if "site-packages" not in one.parts}
    for file in sorted(modules):
        if not file.is_relative_to(home):
            yield file
        source = reader.source_or_none(file)
        if source is not None:
            yield from _existing(named_paths(source, home), home)
    configs = (*home.glob("*.y*ml"), *(project.configs if project is not None else ()))
    for config in configs if in_configs else ():
        yield from _existing(named_in_text(config.read_text("utf-8", "replace"), home), home)


def _existing(paths: Iterator[Path], home: Path) -> Iterator[Path]:
    """Paths that exist, or their nearest existing parents; none that only leads to the trial."""
    for path in paths:
        found = path
        while not found.exists():
            found = found.parent
        if found == path or not home.is_relative_to(found):
            yield found
