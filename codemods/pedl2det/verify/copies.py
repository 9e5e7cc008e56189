"""Copy a trial for training, with what it needs around it, so that nothing reaches the original."""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.project import Project, Reader
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import PRUNED, bytes_or_none
from pedl2det.engine.migration import Result
from pedl2det.errors import Pedl2DetError

_SHARE = 4  # a copy takes at most a quarter of the free disk space
#: A directory above the trial with more bytes or files is not copied as a whole.
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

    If they are in several directories, the nearest common parent is copied if it is small;
    otherwise only the files are. ``tight`` leaves out other files in that parent, and files that
    only a config names; ``more`` are other paths that the trial needs.
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
    projects = [project for project in discover([home]).projects if project.has_trial]
    exact = [project for project in projects if project.home == home]
    return next(iter(exact or projects), None)


def is_left_out(path: Path) -> bool:
    """Tell whether a path is version control, a cache, an environment, or results of a run."""
    # A directory that has checkpoints and no metrics may be data.
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
    """Return the originals of the files that a copied trial missed, according to its error."""
    home = root / extent.home.relative_to(extent.root)
    candidates = []
    for text in _PATH.findall(message):
        place = Path(os.path.normpath(home / text))
        if place.is_relative_to(root.parent) and not place.exists():
            candidates.append(extent.root.parent / place.relative_to(root.parent))
    for dotted in _MODULE.findall(message):
        name = dotted.partition(".")[0]
        for parent in list(extent.home.parents)[:_LEVELS]:
            candidates += [parent / f"{name}.py", parent / name]
    return [path for path in candidates if path.exists()]


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
        text = (bytes_or_none(config) or b"").decode("utf-8", "replace")  # or a broken link
        named += [home / found for found in _UPWARDS_IN_TEXT.findall(text)]
    for path in map(Path, map(os.path.normpath, named)):
        existing = path
        while not existing.exists():
            existing = existing.parent
        if not (path.is_relative_to(home) or (existing != path and home.is_relative_to(existing))):
            yield existing


def _named_paths(source: Source, home: Path, *, tight: bool) -> Iterator[Path]:
    """Paths that lead upwards from the trial's directory, such as ``../data`` in a string."""
    # An extra path does no harm; a path that code computes is found when a run misses it.
    for node in source.names.of(ast.Constant):
        text = node.value
        if isinstance(text, str) and len(text.encode(errors="replace")) <= _LONGEST:
            path = Path(text.lstrip("/"))
            if ".." in path.parts and not (tight and not text.strip("./")):
                yield home / path


@dataclass(frozen=True)
class Copy:
    """A copy of a trial, with what it needs around it."""

    name: str  # what messages call it: "old" or "new"
    extent: Extent
    root: Path  # the copy of the extent's root
    out: Path  # where the results of training go
    config: Path
    overrides: tuple[str, ...] = ()  # of the config, as `run --set` takes them
    script: Path | None = None  # the plain script that trains it; None for a trial
    twin_is_script: bool = False  # whether it is compared with a plain script
    #: Whether something was migrated: then it is run with `--as-written`.
    is_migrated: bool = False

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
    """A trial to verify, with a temporary directory for copies and the results of training."""

    scratch: Path  # resolved
    config: Path  # by which the old trial is trained
    directory: Path  # the trial, as the user names it
    against: Path | None = None  # the migrated trial, if the user has one
    result: Result | None = None  # a migration of the trial that is not written yet
    overrides: tuple[str, ...] = ()  # of the config, as `run --set` takes them
    is_resumed: bool = False  # whether the training ends halfway, and another goes on from there

    def copy(self, name: str, extent: Extent, config: Path | None = None) -> Copy:
        """Copy a trial over an earlier copy, with ``config`` or else that of the old trial."""
        top, out = self.scratch / name, self.scratch / "results" / name
        for directory in (top, out):
            shutil.rmtree(directory, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        root = top / (extent.root.name or "root")
        copy_paths(extent.root, extent.paths, root)
        home = root / extent.home.relative_to(extent.root)
        used = _place_config(home, extent.home, config or self.config)
        copy = Copy(name, extent, root, out, used, self.overrides)
        copy.lines.unlink(missing_ok=True)
        return copy


def _place_config(copy: Path, home: Path, config: Path) -> Path:
    """Return the config's path in the copy; add it if it is not copied with the code."""
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

    A symbolic link to something that is copied becomes a link in the copy; for any other link,
    its target is copied.

    Raises:
        Pedl2DetError: something cannot be read, or the disk has too little space.
    """
    places = {path: target / path.relative_to(root) for path in paths}
    try:
        # List everything before writing: the target may be in the directory.
        entries = [entry for path in places for entry in _entries(path, places[path], places)]
        target.mkdir(parents=True, exist_ok=True)
        needed = sum(source.stat().st_size for source, _ in entries if isinstance(source, Path))
        room = shutil.disk_usage(target).free // _SHARE
        if needed > room:
            raise Pedl2DetError(
                f"{root}: a copy needs {needed / 1e9:.1f} GB, but {target} may use only "
                f"{room / 1e9:.1f} GB: keep large data elsewhere, or set TMPDIR to a larger disk"
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
    """List what is copied with its places: files, the targets of links, None for directories."""
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
