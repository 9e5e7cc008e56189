"""Read files without blocking: links to nothing, pipes, devices and forbidden files are refused."""

from __future__ import annotations

import stat
from pathlib import Path

from pedl2det.findings import Unreadable

_KINDS = {
    stat.S_IFDIR: "this folder cannot be listed",
    stat.S_IFIFO: "a named pipe is not read: put a file in its place",
    stat.S_IFSOCK: "a socket is not read: put a file in its place",
}


def read_bytes(path: Path) -> bytes:
    """Read a regular file; nothing else is opened.

    Raises:
        Unreadable: it is none, or may not be read.
    """
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
        if kind != stat.S_IFREG:
            raise Unreadable(_KINDS.get(kind, "a device is not read: put a file in its place"))
        return path.read_bytes()
    except OSError as error:
        if isinstance(error, FileNotFoundError) and path.is_symlink():
            raise Unreadable(f"a link to nothing: {path.readlink()} does not exist") from None
        raise Unreadable(f"cannot be read: {error.strerror}") from None


def bytes_or_none(path: Path) -> bytes | None:
    """Read a regular file; None if it cannot be read."""
    try:
        return read_bytes(path)
    except Unreadable:
        return None


def is_present(path: Path) -> bool:
    """Tell whether there is a file, also one that cannot be read or is not regular."""
    try:
        mode = path.lstat().st_mode
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return not (stat.S_ISDIR(mode) or (stat.S_ISLNK(mode) and path.is_dir()))
