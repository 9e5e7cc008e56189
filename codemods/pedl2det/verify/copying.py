"""Copy what a trial needs, so that nothing it writes reaches the original.

Files are cloned where the file system can do that, and copied otherwise. If copies would take more
than 2 GB, the largest files are linked instead; see `guarded.py` for what keeps these from being
written to.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: The most bytes that one copy of a trial takes.
BUDGET = 2 * 1024**3
#: Files of this size are worth cloning or linking; smaller ones, such as code, are copied.
LARGE = 1024**2
_FICLONE = 0x40049409
_LEFT_OUT = {".git", ".hg", ".svn", ".nox", ".tox", ".venv", "venv", "node_modules"}
_LEFT_OUT |= {"__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache"}


@dataclass(frozen=True)
class Linked:
    """A file that is too large to be copied.

    Attributes:
        original: the file.
        size: its size.
        changed: when it was last changed, in nanoseconds.
    """

    original: Path
    size: int
    changed: int

    @property
    def is_unchanged(self) -> bool:
        """Whether the file is what it was when it was linked."""
        now = self.original.stat()
        return (now.st_size, now.st_mtime_ns) == (self.size, self.changed)


@dataclass
class _Listed:
    """What there is to copy: source and target of each."""

    directories: list[Path] = field(default_factory=list)
    files: list[tuple[Path, Path]] = field(default_factory=list)
    links: list[tuple[str, Path]] = field(default_factory=list)


def copy_paths(
    root: Path, paths: Sequence[Path], target: Path, budget: int | None = None
) -> tuple[Linked, ...]:
    """Copy some paths of a directory, without version control, caches and results of runs.

    A symbolic link that leads to something copied is a link in the copy; of any other one, what
    it leads to is copied.

    Args:
        root: the directory.
        paths: what to copy: paths in it, or the directory itself.
        target: the copy of the directory.
        budget: the most bytes to copy; by default 2 GB, and no more than a quarter of the disk.

    Returns:
        The files that are linked and not copied.

    Raises:
        OSError: something cannot be read, or the disk is full.
    """
    listed = _Listed()
    for path in paths:
        _list(path, target / path.relative_to(root), _Copied(root, tuple(paths), target), listed)
    target.mkdir(parents=True, exist_ok=True)
    if budget is None:
        budget = min(BUDGET, shutil.disk_usage(target).free // 4)
    for directory in listed.directories:
        directory.mkdir(parents=True, exist_ok=True)
    for _, place in listed.files:
        place.parent.mkdir(parents=True, exist_ok=True)
    linked = _copy(listed.files, budget)
    for text, place in listed.links:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(text)
    return linked


def is_left_out(path: Path) -> bool:
    """Tell whether a path is version control, a cache, an environment, or results of a run."""
    if path.name in _LEFT_OUT:
        return True
    return (path / "pyvenv.cfg").is_file() or is_results(path)


def is_results(path: Path) -> bool:
    """Tell whether `pedl2det run` wrote a directory; one with only checkpoints may be data."""
    return (path / "checkpoints").is_dir() and (path / "metrics.jsonl").is_file()


@dataclass(frozen=True)
class _Copied:
    """Where paths are in the copy."""

    root: Path
    paths: tuple[Path, ...]
    target: Path

    def place(self, path: Path) -> Path | None:
        """The place of a path in the copy; None if it is not copied."""
        for one in self.paths:
            if path.is_relative_to(one):
                below = [part for part in (path, *path.parents) if one in part.parents]
                is_copied = not any(is_left_out(part) for part in below)
                return self.target / path.relative_to(self.root) if is_copied else None
        return None


def _list(
    path: Path, place: Path, copied: _Copied, listed: _Listed, above: tuple[Path, ...] = ()
) -> None:
    """List a path and all below it.

    Args:
        path: the path.
        place: its place in the copy.
        copied: where paths are in the copy.
        listed: what was found; it is added to.
        above: the real directories above it, against links that lead in a circle.
    """
    if path.is_symlink():
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError):  # it leads nowhere
            listed.links.append((str(path.readlink()), place))
            return
        inside = copied.place(real)
        if inside is not None and inside != place:
            listed.links.append((os.path.relpath(inside, place.parent), place))
            return
    if path.is_dir():
        real = path.resolve()
        if real in above:
            return
        listed.directories.append(place)
        for one in sorted(path.iterdir()):
            if not (one.is_dir() and is_left_out(one)):
                _list(one, place / one.name, copied, listed, (*above, real))
    elif stat.S_ISREG(path.stat().st_mode):
        listed.files.append((path.resolve(), place))


def _copy(files: Sequence[tuple[Path, Path]], budget: int) -> tuple[Linked, ...]:
    """Clone, copy or link files; the largest are linked where the budget is too small."""
    sizes = {source: source.stat().st_size for source, _ in files}
    remaining = []
    clones = True
    for source, place in sorted(files, key=lambda one: -sizes[one[0]]):
        clones = clones and sizes[source] >= LARGE and _cloned(source, place)
        if not clones:
            remaining.append((source, place))
    needed = sum(sizes[source] for source, _ in remaining)
    linked = []
    for source, place in remaining:
        if needed > budget and sizes[source] >= LARGE:
            needed -= sizes[source]
            place.symlink_to(source)
            linked.append(Linked(source, sizes[source], source.stat().st_mtime_ns))
        else:
            shutil.copy2(source, place)
    return tuple(linked)


def _cloned(source: Path, place: Path) -> bool:
    """Whether a file could be cloned: both then share their blocks until one is written to."""
    try:
        with source.open("rb") as old, place.open("wb") as new:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
    except OSError:
        place.unlink(missing_ok=True)
        return False
    with contextlib.suppress(OSError):
        shutil.copystat(source, place)
    return True
