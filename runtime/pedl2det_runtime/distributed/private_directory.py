"""The directory of a run's unix sockets: whoever can enter it is trusted, so only this user can."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from pedl2det_runtime.errors import DistributedError

#: What the kernel takes as the name of a unix socket, without the last zero byte.
_LONGEST = 107


def socket_path(name: str) -> Path:
    """A place for a socket.

    Args:
        name: the same in all processes that use it.

    Raises:
        DistributedError: somebody else has the directory, or could enter it.
    """
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    path = private_directory(Path(base) / f"pedl2det-{os.geteuid()}") / name
    if len(os.fsencode(path)) > _LONGEST:
        raise DistributedError(
            f"{path}: longer than the {_LONGEST} bytes that a socket's name can have; set TMPDIR "
            "to a shorter directory for every process"
        )
    return path


def private_directory(path: Path) -> Path:
    """Make a directory that only this user can enter, or use it if it is one.

    Raises:
        DistributedError: it is none, or cannot be made.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()  # not through a link, which somebody else may have put there
    except OSError as error:
        raise DistributedError(f"{path}: cannot be made for sockets: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode):
        raise DistributedError(f"{path}: expected a directory for sockets; remove it")
    if found.st_uid != os.geteuid():
        raise DistributedError(
            f"{path}: belongs to user {found.st_uid}, not to you ({os.geteuid()}); it is not used "
            "for sockets. Set TMPDIR to a directory of yours for every process"
        )
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise DistributedError(
            f"{path}: others can enter it (mode {stat.S_IMODE(found.st_mode):o}); it is not used "
            f"for sockets. chmod 700 {path}"
        )
    return path
