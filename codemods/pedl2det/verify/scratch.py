"""The temporary directory of a verification; the next one removes those of killed processes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "pedl2det-verify-"
_NEW = 60.0  # seconds in which a directory may not be locked yet


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a directory, and remove it in the end; the kernel releases its lock with its owner."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _opened(Path(name)) as descriptor:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(name)


def _remove_abandoned() -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), _opened(path) as descriptor:
            status = os.fstat(descriptor)
            is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
            if is_ours and time.time() - status.st_ctime > _NEW:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if it is in use
                shutil.rmtree(path)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
