"""Writing files: all or none, each whole, with the permissions, owner and links it had.

Files with changes that git has not are refused; what git does not track the journal has.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pedl2det.engine.result import NewFile
from pedl2det.errors import Pedl2DetError
from pedl2det.files.journal import Journal, content, repository_of

#: Set in hooks of git, for another repository than that of a file.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_GIT = ("git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false")
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--")
_NOTHING = "nothing was written (--force writes all the same):"


@dataclass(frozen=True)
class Move:
    """A file that takes the place of another."""

    target: Path  #: the place
    temporary: Path  #: where the new bytes are prepared, beside it
    old: bytes | None  #: the bytes that are there now; None if there is no file
    new: bytes | None  #: its new bytes; None to delete the file
    mode: int = 0o644  #: its permissions if there is no file


def write_all(files: list[NewFile], roots: list[Path] | None = None) -> None:
    """Replace every file, or none: all are written beside their places, then moved there.

    With the ``roots`` that the user asked to migrate, a journal is kept for ``--undo``.

    Raises:
        Pedl2DetError: a file cannot be written, or has changed since it was read.
    """
    unique = {file.path.resolve(): file for file in files}  # the file behind a link: it stays one
    _check({path: file.old for path, file in unique.items()})
    journal = None
    run = secrets.token_hex(8)
    if roots is not None and unique:
        journal = Journal.begin(roots, {path: (one.old, one.new) for path, one in unique.items()})
        run = journal.run
    moves = [
        Move(path, temporary(path, run, number), file.old, file.new)
        for number, (path, file) in enumerate(unique.items())
    ]
    try:
        move_all(moves)
    except BaseException:
        if journal is not None and not any(_is_there(move) for move in moves):
            journal.discard()
        raise
    if journal is not None:
        journal.finish()


def temporary(target: Path, run: str, number: int) -> Path:
    """Where the new bytes of a file are prepared."""
    return target.parent / f".pedl2det-{run}-{number}"


def move_all(moves: list[Move]) -> None:
    """Make every move or none, and leave nothing beside.

    Raises:
        Pedl2DetError: a file cannot be written, or has changed since it was read.
    """
    prepared: list[Move] = []
    try:
        for move in moves:
            with _told(move):
                _prepare(move)
            prepared.append(move)
        _check({move.target: move.old for move in moves})
        try:
            for move in moves:
                with _told(move):
                    if move.new is None:
                        move.target.unlink()
                    else:
                        move.temporary.replace(move.target)
        except BaseException:
            signals = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}  # held until this is over
            held = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
            try:
                _move_back(moves)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, held)
            raise
        for directory in {move.target.parent for move in moves}:
            _sync(directory)
    finally:
        for move in prepared:
            with contextlib.suppress(OSError):
                move.temporary.unlink()


def _check(expected: dict[Path, bytes | None]) -> None:
    for path, data in expected.items():
        if content(path) != data or (data is None and os.path.lexists(path)):
            raise Pedl2DetError(f"{path}: it changed while it was read; nothing was written")


def _prepare(move: Move) -> None:
    """Write the new bytes to the disk, in a file that belongs to whom the old one does.

    A temporary file that exists already is somebody else's, and stays.
    """
    if move.new is None:
        return
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(move.temporary, flags, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(move.new)
            stream.flush()
            if move.old is None:
                os.fchmod(stream.fileno(), move.mode)
            else:
                status = move.target.stat()
                for owner, group in ((status.st_uid, -1), (-1, status.st_gid)):
                    with contextlib.suppress(PermissionError):  # only root may give files away
                        os.fchown(stream.fileno(), owner, group)
                shutil.copystat(move.target, move.temporary)  # permissions, access lists
                os.utime(stream.fileno())
            os.fsync(stream.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            move.temporary.unlink()
        raise


def _move_back(moves: list[Move]) -> None:
    """Put back what was moved already."""
    for move in filter(_is_there, moves):
        try:
            if move.old is None:
                move.target.unlink()
                continue
            move.temporary.unlink(missing_ok=True)
            _prepare(Move(move.target, move.temporary, move.new, move.old))
            move.temporary.replace(move.target)
        except OSError as error:
            raise Pedl2DetError(
                f"{move.target}: the writing stopped in the middle, and this cannot be put back: "
                f"{error.strerror}: mend that, then `pedl2det migrate --undo`"
            ) from None


def _is_there(move: Move) -> bool:
    return move.new != move.old and content(move.target) == move.new


@contextlib.contextmanager
def _told(move: Move) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        message = f"{move.target}: cannot be written: {error.strerror}; nothing was written"
        raise Pedl2DetError(message) from None


def _sync(directory: Path) -> None:
    """Have the moves on the disk."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# Changes that are not committed.


def asked(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command of git that only reads, in the repository that a directory is in.

    Raises:
        OSError: there is no git.
    """
    environment = {key: text for key, text in os.environ.items() if key not in _ENVIRONMENT}
    return subprocess.run(  # noqa: S603
        [*_GIT, *arguments],
        cwd=directory,
        env=environment | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )


def refuse_unsafe(files: list[Path]) -> None:
    """Refuse to replace files that are read-only, or have changes that are not committed.

    Raises:
        Pedl2DetError: it names them.
    """
    targets = [file.resolve() for file in files if file.exists()]
    changed: set[Path] = set()
    for root in {root for target in targets if (root := repository_of(target))}:
        changed |= _changed(root, [target for target in targets if repository_of(target) == root])
    for what, unsafe in (
        ("read-only", [path for path in targets if not os.access(path, os.W_OK)]),
        ("changes here are not committed", [path for path in targets if path in changed]),
    ):
        if unsafe:
            lines = "".join(f"\n  {file}" for file in unsafe)
            raise Pedl2DetError(f"{what}; {_NOTHING}{lines}")


def _changed(root: Path, files: list[Path]) -> set[Path]:
    """Return the files of a repository of which git's status is another than *added*.

    A new file that is added to the index and not changed since is as git has it.
    """
    try:
        done = asked(root, *_STATUS, *(str(file.relative_to(root)) for file in files))
    except OSError:  # there is no git
        return set()
    if done.returncode:
        reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in reason:
            return set()
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; {_NOTHING} {reason}"
        )
    entries = [os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry]
    return {root / entry[3:] for entry in entries if entry[:2].strip() != "A"}
