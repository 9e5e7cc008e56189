"""Copy a trial for training, so that nothing it writes reaches the original.

If a copy would take more than 2 GB, the largest files are linked; `guarded.py` copies such a file
before it is written to.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.verify.extent import BUDGET, Extent, is_left_out

#: Files of this size may be linked; smaller ones, such as code, are copied.
LARGE = 1024**2
_PREFIX = "pedl2det-verify-"
_NEW = 60.0  # seconds in which a scratch directory may not be locked yet

#: Inode, size and time of the last change of a file.
Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class Copy:
    """A copy of a trial, with what it needs around it."""

    name: str  # what messages call it: "old" or "new"
    extent: Extent
    root: Path  # the copy of the extent's root
    out: Path  # where the results of training go
    config: Path
    guarded: Path | None = None  # the directory of all copies, if files are only linked
    script: Path | None = None  # the plain script that trains it; None for a trial
    twin_is_script: bool = False  # whether it is compared with a plain script

    @property
    def directory(self) -> Path:
        """The trial's directory in the copy."""
        return self.root / self.extent.home.relative_to(self.extent.root)

    def original(self, path: Path) -> Path:
        """Return the original of a path in the copy."""
        if not path.is_relative_to(self.root):
            return path
        return self.extent.root / path.relative_to(self.root)

    def with_original_paths(self, text: str) -> str:
        """Return a text with the paths of the originals."""
        text = text.replace(str(self.root), str(self.extent.root))
        return text.replace(f"{self.root.parent}/", f"{self.extent.root.parent}/")

    def stamps(self) -> dict[Path, Stamp]:
        """Return the stamps of its regular files, without caches and results of runs."""
        found = {}
        for parent, directories, files in os.walk(self.root):
            directories[:] = [name for name in directories if not is_left_out(Path(parent, name))]
            for path in (Path(parent, name) for name in files):
                if stat.S_ISREG(path.lstat().st_mode):
                    found[path] = stamp_of(path)
        return found


@dataclass
class Workshop:
    """A temporary directory for the copies of trials and the results of their training."""

    scratch: Path  # resolved
    config: Path  # by which the old trial is trained
    linked: dict[Path, Stamp] = field(default_factory=dict)  # originals that copies link to

    def copy(self, name: str, extent: Extent, config: Path | None = None) -> Copy:
        """Copy a trial; an earlier copy of this name and its results are removed.

        Args:
            name: what the copy is called.
            extent: what is copied.
            config: its experiment config; None for that of the old trial.

        Raises:
            Pedl2DetError: a file cannot be read, or the disk is full.
        """
        top, out = self.scratch / name, self.scratch / "results" / name
        for directory in (top, out):
            shutil.rmtree(directory, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        root = top / (extent.root.name or "root")
        try:
            linked = copy_paths(extent.root, extent.paths, root)
        except OSError as error:
            place = error.filename or extent.root
            raise Pedl2DetError(f"{place}: cannot be copied: {error.strerror}") from None
        self.linked |= linked
        home = root / extent.home.relative_to(extent.root)
        used = _config_in(home, extent.home, config or self.config)
        return Copy(name, extent, root, out, used, self.scratch if linked else None)

    def changed(self) -> list[Path]:
        """Return the linked files that were changed all the same."""
        return sorted(path for path, stamp in self.linked.items() if stamp_of(path) != stamp)


def stamp_of(path: Path) -> Stamp:
    """Return what tells whether a file was written to or replaced."""
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _config_in(copy: Path, home: Path, config: Path) -> Path:
    """The config as a part of the copy, so that it is migrated with the code."""
    real = config.resolve()
    if real.is_relative_to(home):
        return copy / real.relative_to(home)
    if config.parent.resolve() == home:  # a link to a file elsewhere
        return copy / config.name
    own = copy / f"verified-{config.name}"
    own.write_bytes(config.read_bytes())
    return own


def copy_paths(
    root: Path, paths: Sequence[Path], target: Path, budget: int | None = None
) -> dict[Path, Stamp]:
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
    places = {path: target / path.relative_to(root) for path in paths}
    # All is listed before anything is written: the target may be in the directory.
    entries = [entry for path, place in places.items() for entry in _entries(path, place, places)]
    target.mkdir(parents=True, exist_ok=True)
    files = []
    for source, place in entries:
        place.parent.mkdir(parents=True, exist_ok=True)
        if source is None:
            place.mkdir(exist_ok=True)
        elif isinstance(source, str):
            place.symlink_to(source)
        else:
            files.append((source, place))
    if budget is None:
        budget = min(BUDGET, shutil.disk_usage(target).free // 4)
    return _copy_files(files, budget)


def _entries(
    path: Path, place: Path, places: Mapping[Path, Path], above: tuple[Path, ...] = ()
) -> Iterator[tuple[Path | str | None, Path]]:
    """List what is copied with its places: files, the texts of links, None for directories.

    Args:
        path: what is copied.
        place: where to.
        places: the places of all paths that are copied.
        above: the real directories above, against links that lead in a circle.
    """
    if path.is_symlink():
        if not path.exists():
            yield str(path.readlink()), place
            return
        inside = _place_in(places, path.resolve())
        if inside is not None and inside != place:
            yield os.path.relpath(inside, place.parent), place
            return
    if path.is_dir():
        real = path.resolve()
        if real not in above:
            yield None, place
            for child in sorted(path.iterdir()):
                if not (child.is_dir() and is_left_out(child)):
                    yield from _entries(child, place / child.name, places, (*above, real))
    elif path.is_file():
        yield path.resolve(), place


def _place_in(places: Mapping[Path, Path], path: Path) -> Path | None:
    """The place of a path in the copy; None if it is not copied."""
    for source, place in places.items():
        if path.is_relative_to(source):
            below = [part for part in (path, *path.parents) if source in part.parents]
            return None if any(map(is_left_out, below)) else place / path.relative_to(source)
    return None


def _copy_files(files: Sequence[tuple[Path, Path]], budget: int) -> dict[Path, Stamp]:
    """Copy files; link the largest where the budget is too small."""
    sizes = {source: source.stat().st_size for source, _ in files}
    needed = sum(sizes[source] for source, _ in files)
    linked = {}
    for source, place in sorted(files, key=lambda pair: -sizes[pair[0]]):
        if needed > budget and sizes[source] >= LARGE:
            needed -= sizes[source]
            place.symlink_to(source)
            linked[source] = stamp_of(source)
        else:
            shutil.copy2(source, place)
    return linked


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a directory and remove it in the end, with those that killed processes left.

    The kernel releases the lock of a directory with the process that made it.
    """
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), _opened(path) as descriptor:
            status = os.fstat(descriptor)
            if status.st_uid == os.getuid() and time.time() - status.st_ctime > _NEW:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if it is in use
                shutil.rmtree(path)
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _opened(Path(name)) as descriptor:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(name)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a directory; a link or a file raises an error."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
