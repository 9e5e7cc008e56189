"""Write files: all or none, each complete, with the permissions, owner and links it had.

Files with uncommitted changes are refused; the journal holds what git does not track.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.engine.migration import NewFile
from pedl2det.errors import Pedl2DetError
from pedl2det.files.journal import Journal, Replacement, content, new_file, repository_of

#: Variables that git sets in hooks; they may point to a repository other than the file's.
_ENVIRONMENT = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
_GIT = ("git", "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false")
_STATUS = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no", "--")
_NOTHING = "nothing was written (--force writes anyway):"


def write_all(files: list[NewFile], roots: Sequence[Path] = ()) -> None:
    """Replace every file, or none: all are written beside their places, then moved there.

    A journal is kept for ``--undo``, with the ``roots`` that the user asked to migrate.
    """
    # A link stays: the file behind it is replaced.
    unique = {file.path.resolve(): file for file in files}
    _check({path: file.old for path, file in unique.items()})
    if not unique:
        return
    journal = Journal.begin(roots, {path: (file.old, file.new) for path, file in unique.items()})
    try:
        replace_all(journal.entries)
    except BaseException:
        if not any(map(_is_replaced, journal.entries)):
            journal.discard()
        raise
    journal.finish()


def replace_all(files: Sequence[Replacement]) -> None:
    """Replace every file or none, and leave no temporary files.

    Raises:
        Pedl2DetError: a file cannot be written, or has changed since it was read.
    """
    prepared: list[Path] = []
    try:
        for file in files:
            _prepare(file)
            prepared.append(file.temporary)
        _check({file.path: file.old for file in files})
        try:
            for file in files:
                if file.new is None:
                    file.path.unlink()
                else:
                    file.temporary.replace(file.path)
        except BaseException:
            signals = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM}  # blocked until this is done
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
            try:
                _move_back(files)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        for directory in {file.path.parent for file in files}:
            _sync(directory)
    except OSError as error:
        message = f"{file.path}: cannot be written: {error.strerror}; nothing was written"
        raise Pedl2DetError(message) from None
    finally:
        for temporary in prepared:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _check(expected: dict[Path, bytes | None]) -> None:
    for path, data in expected.items():
        if content(path) != data or (data is None and os.path.lexists(path)):
            raise Pedl2DetError(f"{path}: it has changed since it was read; nothing was written")


def _prepare(file: Replacement) -> None:
    """Write the new bytes to the temporary file, with the owner of the old file."""
    if file.new is None:
        return
    with new_file(file.temporary) as stream:
        stream.write(file.new)
        if file.old is None:
            os.fchmod(stream.fileno(), file.mode)
        else:
            status = file.path.stat()
            for owner, group in ((status.st_uid, -1), (-1, status.st_gid)):
                with contextlib.suppress(PermissionError):  # only root may give files away
                    os.fchown(stream.fileno(), owner, group)
            shutil.copystat(file.path, file.temporary)  # permissions, access lists
            os.utime(stream.fileno())


def _move_back(files: Iterable[Replacement]) -> None:
    for file in filter(_is_replaced, files):
        try:
            if file.old is None:
                file.path.unlink()
                continue
            file.temporary.unlink(missing_ok=True)
            _prepare(replace(file, old=file.new, new=file.old))
            file.temporary.replace(file.path)
        except OSError as error:
            raise Pedl2DetError(
                f"{file.path}: writing was interrupted, and this file cannot be restored: "
                f"{error.strerror}: fix that, then run `pedl2det migrate --undo`"
            ) from None


def _is_replaced(file: Replacement) -> bool:
    return file.new != file.old and file.is_written


def _sync(directory: Path) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def run_git(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a git command that only reads; if git is missing, act as outside of a repository."""
    environment = {key: text for key, text in os.environ.items() if key not in _ENVIRONMENT}
    try:
        return subprocess.run(  # noqa: S603
            [*_GIT, *arguments],
            cwd=directory,
            env=environment | {"LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
    except OSError:
        return subprocess.CompletedProcess([*_GIT], 128, b"", b"not a git repository")


def refuse_unsafe(files: list[Path]) -> None:
    """Raise an error that names files that are read-only, or have uncommitted changes."""
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
    """Return the files of a repository whose status in git is other than *added*."""
    done = run_git(root, *_STATUS, *(str(file.relative_to(root)) for file in files))
    if done.returncode:
        reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
        if "not a git repository" in reason:
            return set()
        raise Pedl2DetError(
            f"{root}: git does not tell whether changes here are committed; {_NOTHING} {reason}"
        )
    # A new file that is unchanged since `git add` is safe: git has its content.
    entries = [os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry]
    return {root / entry[3:] for entry in entries if entry[:2].strip() != "A"}
