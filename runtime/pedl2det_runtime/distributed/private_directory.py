"""The directory of unix-domain sockets. Only this user can enter it, so no key is needed."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from pedl2det_runtime.errors import DistributedError

#: The longest path of a unix-domain socket that the kernel accepts, in bytes.
_LONGEST = 107


def socket_path(name: str) -> Path:
    """Return the path of a socket; the same for all processes of this user on this machine.

    Raises:
        DistributedError: the directory is not private, or the path is too long.
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
    """Create a directory that only this user can enter, or check an existing one.

    Raises:
        DistributedError: it is not private, not a directory, or cannot be created.
    """
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.lstat()  # do not follow a link that another user may have created
    except OSError as error:
        raise DistributedError(f"{path}: cannot be made for sockets: {error.strerror}") from error
    mode = stat.S_IMODE(status.st_mode)
    if not stat.S_ISDIR(status.st_mode):
        raise DistributedError(f"{path}: expected a directory for sockets; remove it")
    if status.st_uid != os.geteuid():
        raise DistributedError(
            f"{path}: belongs to user {status.st_uid}, not to you ({os.geteuid()}), so it is not "
            "used for sockets. Set TMPDIR to a directory of yours for every process"
        )
    if mode & 0o077:
        raise DistributedError(
            f"{path}: others can enter it (mode {mode:o}), so it is not used for sockets. "
            f"chmod 700 {path}"
        )
    return path
