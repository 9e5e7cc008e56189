"""The journal of a run: what every file held before, so that ``--undo`` can take the run back.

Journals are in the user's state directory and not in the tree, which git, Determined and
checkpoints copy: configs hold secrets. A journal is written before the first file is replaced;
its suffix says whether the run came to its end. Journals of one repository are in one directory,
and the last 50 are kept.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.errors import Pedl2DetError

_VERSION = 1
_PART, _BEGUN, _DONE = ".part", ".begun", ".json"
_KEPT = 50  # runs of a repository


@dataclass(frozen=True)
class Entry:
    """A file before a run."""

    path: Path  #: where it is, links followed
    mode: int  #: its permissions
    old: bytes | None  #: its bytes before the run; None if there was no file
    new: str  #: the hash of its bytes after the run

    @property
    def is_untouched(self) -> bool:
        """Whether the file is as it was before the run."""
        return content(self.path) == self.old

    @property
    def is_written(self) -> bool:
        """Whether the file is as the run wrote it."""
        data = content(self.path)
        return data is not None and _hash(data) == self.new


@dataclass(frozen=True)
class Journal:
    """The journal of one run."""

    file: Path  #: where it is
    roots: tuple[Path, ...]  #: what the user asked to migrate
    entries: tuple[Entry, ...]  #: the files that the run replaces

    @classmethod
    def begin(cls, roots: list[Path], files: dict[Path, tuple[bytes | None, bytes]]) -> Journal:
        """Write the journal of a run that is about to replace files.

        The files are old and new bytes by path.

        Raises:
            Pedl2DetError: it cannot be written.
        """
        entries = tuple(
            Entry(
                path,
                # Of a file that is not there yet, the usual permissions.
                0o644 if old is None else stat.S_IMODE(path.stat().st_mode),
                old,
                _hash(new),
            )
            for path, (old, new) in files.items()
        )
        resolved = tuple(root.resolve() for root in roots)
        tops = {
            repository_of(root) or (root if root.is_dir() else root.parent) for root in resolved
        }
        directory = _directory()
        group = directory / _hash("\n".join(sorted(map(str, tops))).encode())
        file = group / f"{time.time_ns()}-{os.getpid()}{_BEGUN}"
        journal = cls(file, resolved, entries)
        try:
            for made in (directory, group):
                made.mkdir(mode=0o700, parents=True, exist_ok=True)
            journal._write()
        except OSError as error:
            raise Pedl2DetError(
                f"{directory}: the journal for --undo cannot be written: {error.strerror}: "
                "nothing was written; set XDG_STATE_HOME to a directory that can"
            ) from None
        return journal

    @property
    def run(self) -> str:
        """The run's own name, which its temporary files have too."""
        return self.file.stem

    @property
    def began(self) -> str:
        """When the run began."""
        seconds = int(self.run.partition("-")[0]) / 1e9
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))

    @property
    def is_done(self) -> bool:
        """Whether the run came to its end."""
        return self.file.suffix == _DONE

    @property
    def is_running(self) -> bool:
        """Whether the process of the run is still there."""
        return _is_running(self.file)

    def reaches(self, paths: list[Path]) -> bool:
        """Whether the run was about something below some paths; links may lead it elsewhere."""
        written = (entry.path for entry in self.entries)
        return any(is_below(path, paths) for path in (*self.roots, *written))

    def finish(self) -> None:
        """Say that every file was replaced; forget the repository's runs of long ago."""
        with contextlib.suppress(OSError):
            self.file.replace(self.file.with_suffix(_DONE))
            for file in _files((_DONE,), self.file.parent)[_KEPT:]:
                file.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget the run."""
        with contextlib.suppress(OSError):
            self.file.unlink(missing_ok=True)

    def _write(self) -> None:
        """Write it whole and to the disk: a killed run is taken back with it."""
        data = {
            "version": _VERSION,
            "roots": list(map(str, self.roots)),
            "files": [
                {
                    "path": str(entry.path),
                    "mode": entry.mode,
                    "old": None if entry.old is None else base64.b64encode(entry.old).decode(),
                    "new": entry.new,
                }
                for entry in self.entries
            ],
        }
        part = self.file.with_suffix(_PART)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as stream:
                json.dump(data, stream)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.file)
        finally:
            part.unlink(missing_ok=True)


def journals() -> Iterator[Journal]:
    """The journals of this user, the last run first.

    Raises:
        Pedl2DetError: one cannot be read.
    """
    return map(_read, _files((_BEGUN, _DONE)))


def unfinished() -> Iterator[Journal]:
    """The journals of runs that did not come to their end; raises as :func:`journals`."""
    return map(_read, _files((_BEGUN,)))


def remove_unfinished_journals() -> None:
    """Remove journals in the writing of which their processes were killed."""
    for file in _files((_PART,)):
        if not _is_running(file):
            file.unlink(missing_ok=True)


def repository_of(path: Path) -> Path | None:
    """Return the top of the git repository that a resolved path is in; None if it is in none."""
    return next((above for above in (path, *path.parents) if (above / ".git").exists()), None)


def is_below(path: Path, roots: list[Path]) -> bool:
    """Whether a resolved path is one of some paths, or below one."""
    return any(path.is_relative_to(root.resolve()) for root in roots)


def content(path: Path) -> bytes | None:
    """Return the bytes of a regular file, or None if there is none that can be read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _is_running(file: Path) -> bool:
    try:
        os.kill(int(file.stem.partition("-")[2]), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _files(suffixes: tuple[str, ...], directory: Path | None = None) -> list[Path]:
    directory = directory or _directory()
    try:
        files = [file for file in directory.rglob("*-*") if file.suffix in suffixes]
    except OSError as error:
        raise Pedl2DetError(
            f"{directory}: the journals for --undo cannot be read: {error.strerror}; set "
            "XDG_STATE_HOME to a directory that can"
        ) from None
    runs = (file for file in files if file.stem.replace("-", "", 1).isdecimal())
    return sorted(runs, key=lambda file: int(file.stem.partition("-")[0]), reverse=True)


def _read(file: Path) -> Journal:
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
        if data["version"] != _VERSION:
            raise ValueError(f"version {data['version']}, expected {_VERSION}")
        entries = []
        for entry in data["files"]:
            old = None if entry["old"] is None else base64.b64decode(entry["old"])
            entries.append(Entry(Path(entry["path"]), entry["mode"], old, entry["new"]))
        return Journal(file, tuple(map(Path, data["roots"])), tuple(entries))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Pedl2DetError(
            f"{file}: this journal of a run cannot be read: {error}: remove it, and take that run "
            "back by hand"
        ) from None


def _directory() -> Path:
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        base = given if given.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        raise Pedl2DetError(
            "no home directory to keep the journal for --undo in: set XDG_STATE_HOME to a directory"
        ) from None
    return base / "pedl2det" / "undo"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
