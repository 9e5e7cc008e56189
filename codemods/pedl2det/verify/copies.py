"""Copy a trial for training, so that nothing it writes reaches the original."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.verify.extent import Extent, is_left_out

_SHARE = 4  # of the free disk, one copy takes no more than this part of it


@dataclass(frozen=True)
class Copy:
    """A copy of a trial, with what it needs around it."""

    name: str  # what messages call it: "old" or "new"
    extent: Extent
    root: Path  # the copy of the extent's root
    out: Path  # where the results of training go
    config: Path
    script: Path | None = None  # the plain script that trains it; None for a trial
    twin_is_script: bool = False  # whether it is compared with a plain script
    is_migrated: bool = False  # so that nothing that Determined does not serve may be served

    @property
    def directory(self) -> Path:
        """The trial's directory in the copy."""
        return self.root / self.extent.home.relative_to(self.extent.root)

    @property
    def lines(self) -> Path:
        """The file that says which lines of the copy were executed."""
        return self.out.with_name(f"{self.name}.lines")

    def original(self, path: Path) -> Path:
        """Return the original of a path in the copy."""
        if not path.is_relative_to(self.root):
            return path
        return self.extent.root / path.relative_to(self.root)

    def with_original_paths(self, text: str) -> str:
        """Return a text with the paths of the originals."""
        text = text.replace(str(self.root), str(self.extent.root))
        return text.replace(f"{self.root.parent}/", f"{self.extent.root.parent}/")


@dataclass(frozen=True)
class Workshop:
    """What is to be verified, with a temporary directory for copies and the results of training."""

    scratch: Path  # resolved
    config: Path  # by which the old trial is trained
    directory: Path  # the trial, as the user names it
    against: Path | None = None  # the migrated trial, if the user has one
    result: Result | None = None  # a migration of the trial that is not written yet

    def copy(self, name: str, extent: Extent, config: Path | None = None) -> Copy:
        """Copy a trial, with the old trial's config unless it has another.

        An earlier copy of this name and its results are removed.

        Raises:
            Pedl2DetError: a file cannot be read, or the disk has too little room.
        """
        top, out = self.scratch / name, self.scratch / "results" / name
        for directory in (top, out):
            shutil.rmtree(directory, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        root = top / (extent.root.name or "root")
        copy_paths(extent.root, extent.paths, root)
        home = root / extent.home.relative_to(extent.root)
        used = _config_in(home, extent.home, config or self.config)
        copy = Copy(name, extent, root, out, used)
        copy.lines.unlink(missing_ok=True)
        return copy


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


def copy_paths(root: Path, paths: Sequence[Path], target: Path) -> None:
    """Copy some paths in a directory, or all of it, without version control, caches and results.

    A symbolic link that leads to something copied is a link in the copy; of any other one, what
    it leads to is copied.

    Raises:
        Pedl2DetError: something cannot be read, or the disk has too little room.
    """
    places = {path: target / path.relative_to(root) for path in paths}
    try:
        # All is listed before anything is written: the target may be in the directory.
        entries = [entry for path in places for entry in _entries(path, places[path], places)]
        target.mkdir(parents=True, exist_ok=True)
        needed = sum(source.stat().st_size for source, _ in entries if isinstance(source, Path))
        room = shutil.disk_usage(target).free // _SHARE
        if needed > room:
            raise Pedl2DetError(
                f"{root}: a copy takes {needed / 1e9:.1f} GB, and {target} may take "
                f"{room / 1e9:.1f}: keep large data elsewhere, or set TMPDIR to a larger disk"
            )
        for source, place in entries:
            place.parent.mkdir(parents=True, exist_ok=True)
            if source is None:
                place.mkdir(exist_ok=True)
            elif isinstance(source, str):
                place.symlink_to(source)
            else:
                shutil.copy2(source, place)
    except OSError as error:
        place_of_error = error.filename or root
        raise Pedl2DetError(f"{place_of_error}: cannot be copied: {error.strerror}") from None


def _entries(
    path: Path, place: Path, places: Mapping[Path, Path], above: tuple[Path, ...] = ()
) -> Iterator[tuple[Path | str | None, Path]]:
    """List what is copied with its places: files, the texts of links, None for directories."""
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
