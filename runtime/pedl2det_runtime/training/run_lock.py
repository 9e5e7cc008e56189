"""Lock a run's directory, so that only one process at a time writes to it.

The lock is ``flock`` on a small file in the directory; the kernel releases it when its holder ends
for any reason. The file names the holder and is removed at the end of the run; a killed run leaves
it, and the next run takes it over.

``filelock`` is not used: up to 4.2 it empties the file that it locks, even one of the user, and
without ``flock`` it fails or takes a lock that outlives a killed holder.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.errors import ConfigError

NAME = "pedl2det-run.lock"
_MAX_BYTES = 4096  # of a lock file of ours


@dataclass(frozen=True)
class Holder:
    """The process that writes to a directory."""

    pid: int  #: the process
    host: str  #: the name of its machine
    since: str  #: when it began, in UTC (ISO 8601)


@contextlib.contextmanager
def held(out: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a run's directory, which is created if it is missing.

    Raises:
        ConfigError: another process holds the lock, the directory cannot be written, or a file that
            is not ours has this name. Nothing is changed then.
    """
    is_new = not out.exists()
    make_directory(out)
    path = out / NAME
    descriptor, may_remove = _open_locked(path, say)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = json.dumps(asdict(Holder(os.getpid(), socket.gethostname(), now)))
    os.pwrite(descriptor, record.encode() + b"\n", 0)
    os.ftruncate(descriptor, len(record) + 1)
    _open_descriptors.add(descriptor)
    try:
        yield
    finally:
        _open_descriptors.discard(descriptor)
        with contextlib.suppress(OSError):  # the directory may be gone
            os.ftruncate(descriptor, 0)
            if may_remove and _is_at(descriptor, path):
                path.unlink()
            if is_new:
                out.rmdir()  # only if the run wrote nothing
        os.close(descriptor)


def make_directory(out: Path) -> None:
    """Create a run's directory if it is missing, readable only by the user.

    If this creates the default parent, ``runs`` in the working directory, Git ignores it.
    """
    default = Path("runs").resolve()
    is_first = out.resolve().parent == default and not default.exists()
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_first:
            (default / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--out {out}: cannot be created: {error.strerror}") from None


def write_private(path: Path, text: str) -> None:
    """Write a file that may hold credentials."""
    make_private(path)
    path.write_text(text, encoding="utf-8")


def make_private(path: Path) -> None:
    """Make a file readable only by the user; create it if it is missing."""
    path.touch(mode=0o600)
    path.chmod(0o600)


def holder(out: Path) -> Holder | None:
    """Return the holder that a directory's lock file names; None without a lock file of ours."""
    path = out / NAME
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return _parsed(file.read(_MAX_BYTES))
    except OSError:
        return None


def refuse_held(out: Path) -> None:
    """Refuse a directory that another process holds, and name the process; change nothing."""
    ownership.refuse_foreign(out / NAME, directory=False)
    with contextlib.suppress(OSError):  # no such file, or no locks
        os.close(_flock(out / NAME, lambda _: None))


def _open_locked(path: Path, say: Callable[[str], None]) -> tuple[int, bool]:
    """Open and lock the file; return also whether the run may remove it at its end."""
    while True:
        ownership.refuse_foreign(path, directory=False)
        is_new = not path.exists()
        try:
            descriptor = _flock(path, say, os.O_CREAT)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
        content = os.pread(descriptor, _MAX_BYTES, 0)
        if content and _parsed(content) is None:
            os.close(descriptor)
            raise ownership.foreign_file_error(path)
        if _is_at(descriptor, path):
            return descriptor, is_new or bool(content)
        os.close(descriptor)  # its last holder has just removed it


def _flock(path: Path, say: Callable[[str], None], create: int = 0) -> int:
    """Open and lock the file; ``create`` is ``os.O_CREAT`` to create it if it is missing."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | create, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        os.close(descriptor)
        raise _refusal(path.parent) from None
    except OSError as error:
        say(
            f"{path.parent}: this file system has no locks ({error.strerror}): "
            "make sure that no other run writes there"
        )
    return descriptor


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _parsed(data: bytes) -> Holder | None:
    try:
        return Holder(**json.loads(data))
    except (ValueError, TypeError):
        return None


def _refusal(out: Path) -> ConfigError:
    named = holder(out)
    who = f"process {named.pid} on {named.host}" if named else "another process"
    since = f" since {named.since}" if named else ""
    return ConfigError(
        f"{out}: {who} has been writing to it{since}: wait until it ends, end it, "
        "or choose another directory with --out"
    )


_open_descriptors: set[int] = set()


def _close_in_child() -> None:
    """Leave the lock to the parent: one that a forked process shares would outlive it."""
    for descriptor in _open_descriptors:
        os.close(descriptor)
    _open_descriptors.clear()


os.register_at_fork(after_in_child=_close_in_child)
