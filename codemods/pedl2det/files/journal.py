"""The journal of a run: what every file held before, so that ``--undo`` can restore it.

Journals are in the user's state directory and not in the tree, which git, Determined and
checkpoints copy: configs hold secrets. A journal is written before the first file is replaced;
its suffix says whether the run was completed. Journals of one repository are in one directory,
and the last 50 are kept.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pedl2det.errors import Pedl2DetError

_VERSION = 2
_PART, _BEGUN, _DONE = ".part", ".begun", ".json"
_KEPT = 50  # runs of a repository


@dataclass(frozen=True)
class Replacement:
    """A file that a run replaces or adds, or that taking a run back deletes."""

    path: Path  #: where it is, links followed
    temporary: Path  #: where the new bytes are prepared, beside it
    mode: int  #: its permissions before; the usual ones if there was no file
    old: bytes | None  #: its bytes before; None if there was no file
    new: bytes | None  #: its bytes after; None if there is no file then

    @property
    def is_untouched(self) -> bool:
        """Whether the file is as it was before."""
        return content(self.path) == self.old

    @property
    def is_written(self) -> bool:
        """Whether the file is as it is after."""
        return content(self.path) == self.new


@dataclass(frozen=True)
class Journal:
    """The journal of one run."""

    file: Path  #: where it is
    roots: tuple[Path, ...]  #: what the user asked to migrate
    entries: tuple[Replacement, ...]  #: the files that the run replaces

    @classmethod
    def begin(cls, roots: Sequence[Path], files: dict[Path, tuple[bytes | None, bytes]]) -> Journal:
        """Write the journal of a run that is about to replace files: old and new bytes by path."""
        resolved = tuple(root.resolve() for root in roots)
        tops = {
            repository_of(root) or (root if root.is_dir() else root.parent) for root in resolved
        }
        directory = _directory()
        names = "\n".join(sorted(map(str, tops)))
        group = directory / hashlib.sha256(names.encode()).hexdigest()
        file = group / f"{time.time_ns()}-{os.getpid()}{_BEGUN}"
        states = (
            (path, 0o644 if old is None else path.stat().st_mode & 0o7777, old, new)
            for path, (old, new) in files.items()
        )
        journal = cls(file, resolved, _entries(file, states))
        try:
            for folder in (directory, group):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part = file.with_suffix(_PART)
            with new_file(part) as stream:
                stream.write(json.dumps(journal._content()).encode())
            part.replace(file)
        except OSError as error:
            raise Pedl2DetError(
                f"{directory}: the journal for --undo cannot be written: {error.strerror}: "
                "nothing was written; set XDG_STATE_HOME to a directory that can"
            ) from None
        return journal

    @property
    def began(self) -> str:
        """When the run began."""
        seconds = int(self.file.stem.partition("-")[0]) / 1e9
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))

    @property
    def is_done(self) -> bool:
        """Whether the run was completed."""
        return self.file.suffix == _DONE

    def reaches(self, paths: Sequence[Path]) -> bool:
        """Whether the run was about something below some paths; links may lead it elsewhere."""
        written = (entry.path for entry in self.entries)
        return any(is_below(path, paths) for path in (*self.roots, *written))

    def finish(self) -> None:
        """Mark the run as complete; forget the oldest runs of the repository."""
        with contextlib.suppress(OSError):
            self.file.replace(self.file.with_suffix(_DONE))
            for file in _files((_DONE,), self.file.parent)[_KEPT:]:
                file.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget the run."""
        with contextlib.suppress(OSError):
            self.file.unlink(missing_ok=True)

    def _content(self) -> dict[str, Any]:
        """The content of the file: all that is needed to undo a killed run."""
        files = [
            {
                "path": str(entry.path),
                "mode": entry.mode,
                "old": _text(entry.old),
                "new": _text(entry.new),
            }
            for entry in self.entries
        ]
        return {"version": _VERSION, "roots": list(map(str, self.roots)), "files": files}


def journals() -> Iterator[Journal]:
    """Return the journals of this user, the last run first; raise an error if one is unreadable."""
    return filter(None, map(_read, _files((_BEGUN, _DONE))))


def unfinished() -> Iterator[Journal]:
    """Return the journals of runs that were not completed; raise as :func:`journals` does."""
    return filter(None, map(_read, _files((_BEGUN,))))


def is_running(file: Path) -> bool:
    """Whether the process that wrote a journal is still there."""
    try:
        os.kill(int(file.stem.partition("-")[2]), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def remove_unfinished_journals() -> None:
    """Remove journals whose processes were killed while they wrote them."""
    for file in _files((_PART,)):
        if not is_running(file):
            file.unlink(missing_ok=True)


def repository_of(path: Path) -> Path | None:
    """Return the top of the git repository that a resolved path is in; None if it is in none."""
    return next((above for above in (path, *path.parents) if (above / ".git").exists()), None)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Create a file that only the user can read; sync it at the end, remove it on an error."""
    # A file that exists already is somebody else's, and stays.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def is_below(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a resolved path is one of some paths, or below one."""
    return any(path.is_relative_to(root.resolve()) for root in roots)


def content(path: Path) -> bytes | None:
    """Return the bytes of a regular file, or None if there is none that can be read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


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


def _read(file: Path) -> Journal | None:
    try:
        data: dict[str, Any] = json.loads(file.read_bytes())
        if data["version"] != _VERSION:
            raise ValueError(f"version {data['version']}, expected {_VERSION}")
        states = (
            (Path(record["path"]), record["mode"], _bytes(record["old"]), _bytes(record["new"]))
            for record in data["files"]
        )
        return Journal(file, tuple(map(Path, data["roots"])), _entries(file, states))
    except FileNotFoundError:  # another run has just ended
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Pedl2DetError(
            f"{file}: this journal of a run cannot be read: {error}: remove it, and take that run "
            "back by hand"
        ) from None


def _directory() -> Path:
    home = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        base = home if home.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError:
        raise Pedl2DetError(
            "no home directory to keep the journal for --undo in: set XDG_STATE_HOME to a directory"
        ) from None
    return base / "pedl2det" / "undo"


def _entries(
    file: Path, states: Iterable[tuple[Path, int, bytes | None, bytes | None]]
) -> tuple[Replacement, ...]:
    """The files of a run; their temporaries have the name of its journal."""
    return tuple(
        Replacement(path, path.parent / f".pedl2det-{file.stem}-{number}", mode, old, new)
        for number, (path, mode, old, new) in enumerate(states)
    )


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
