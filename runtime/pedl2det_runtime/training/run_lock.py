"""One process at a time writes into a run's directory.

The lock is ``flock`` on a small file of the directory, which the kernel releases when its holder
ends, however it ends. The file says who holds it and is removed at the end of the run; a killed run
leaves it, and the next run takes it over.

``filelock`` does not do this: it empties the file that it locks (up to 4.2), whoever wrote it, and
where there is no ``flock`` it fails, or takes a lock that a killed holder keeps.
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
_LONGEST = 4096  # bytes of our own file; a longer one is somebody else's


@dataclass(frozen=True)
class Holder:
    """Who writes into a directory."""

    pid: int  #: the process
    host: str  #: the name of its machine
    since: str  #: when it began, in UTC (ISO 8601)


@contextlib.contextmanager
def held(out: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a run's directory, which is created if it is missing.

    Raises:
        ConfigError: another process holds it, the directory cannot be written, or somebody else's
            file has this name. Nothing has changed then.
    """
    is_new = not out.exists()
    make_directory(out)
    path = out / NAME
    descriptor, is_ours = _locked(path, say)
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    record = json.dumps(asdict(Holder(os.getpid(), socket.gethostname(), now)))
    os.pwrite(descriptor, record.encode() + b"\n", 0)
    os.ftruncate(descriptor, len(record) + 1)
    _open.add(descriptor)
    try:
        yield
    finally:
        _open.discard(descriptor)
        with contextlib.suppress(OSError):  # the directory may be gone
            os.ftruncate(descriptor, 0)
            if is_ours and _is_at(descriptor, path):
                path.unlink()
            if is_new:
                out.rmdir()  # only if the run wrote nothing
        os.close(descriptor)


def make_directory(out: Path) -> None:
    """Create a run's directory, readable by the user alone, if it is missing.

    Git ignores ``runs`` in the working directory, which is the default, if it is created here.
    """
    default = Path("runs").resolve()
    is_first = out.resolve().parent == default and not default.exists()
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_first:
            (default / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--out {out}: cannot be made: {error.strerror}") from None


def write_private(path: Path, text: str) -> None:
    """Write a file that may hold credentials."""
    make_private(path)
    path.write_text(text, encoding="utf-8")


def make_private(path: Path) -> None:
    """Let nobody but the user read a file, which is created if it is missing."""
    path.touch(mode=0o600)
    path.chmod(0o600)


def holder(out: Path) -> Holder | None:
    """Return who the lock file of a directory names; None if there is no such file of ours."""
    path = out / NAME
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return _parsed(file.read(_LONGEST))
    except OSError:
        return None


def refuse_held(out: Path) -> None:
    """Refuse a directory that another process holds, and name the process; change nothing."""
    ownership.refuse_foreign(out / NAME, directory=False)
    with contextlib.suppress(OSError):  # no such file, or no locks
        os.close(_flock(out / NAME, lambda _: None))


def _locked(path: Path, say: Callable[[str], None]) -> tuple[int, bool]:
    """Open and lock the file; tell also whether it is ours to remove."""
    while True:
        ownership.refuse_foreign(path, directory=False)
        is_new = not path.exists()
        try:
            descriptor = _flock(path, say, os.O_CREAT)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
        found = os.pread(descriptor, _LONGEST, 0)
        if found and _parsed(found) is None:
            os.close(descriptor)
            raise ownership.foreign_file_error(path)
        if _is_at(descriptor, path):
            return descriptor, is_new or bool(found)
        os.close(descriptor)  # its last holder has just removed it


def _flock(path: Path, say: Callable[[str], None], create: int = 0) -> int:
    """Open and lock the file, which ``create`` may create; say so if there are no locks."""
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | create, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        os.close(descriptor)
        raise _refusal(path.parent) from None
    except OSError as error:
        say(
            f"{path.parent}: this file system has no locks ({error.strerror}): "
            "see to it that no second run writes there"
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
        f"{out}: {who} has been training into it{since}: wait until it ends, end it, "
        "or choose another directory with --out"
    )


_open: set[int] = set()


def _close_in_child() -> None:
    """Leave the lock to the parent: one that a forked process shares would outlive it."""
    for descriptor in _open:
        os.close(descriptor)
    _open.clear()


os.register_at_fork(after_in_child=_close_in_child)
