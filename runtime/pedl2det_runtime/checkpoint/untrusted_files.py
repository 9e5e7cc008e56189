"""Read files of a checkpoint that may be damaged or hostile.

Every error is converted to a one-line :class:`DamagedCheckpointError` that names the file. Links
and special files are never opened, and files above a size limit are not read.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pedl2det_runtime.errors import DamagedCheckpointError
from pedl2det_runtime.errors.trial_code import one_line

_SPARSE_CHECK_BYTES = 2**30  # check larger files for holes
JSON_BYTES = 2**24  # parsed JSON takes up to 25 times as much
_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
}


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert any exception to a one-line error that names ``path``.

    Raises:
        DamagedCheckpointError: the block raised an exception.
    """
    try:
        yield
    except DamagedCheckpointError:
        raise
    except Exception as error:  # parsers raise anything: RecursionError, struct.error, ...
        reason = one_line(error).removeprefix("ValueError: ").removeprefix("CheckpointError: ")
        if isinstance(error, OSError) and error.strerror:
            reason = error.strerror
        raise DamagedCheckpointError(f"{path}: damaged checkpoint: {reason}") from None


def require_file(path: Path) -> int:
    """Return the size of a regular file in bytes.

    Raises:
        DamagedCheckpointError: the file is missing, a link, a special file or sparse.
    """
    with reading(path):
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode):
            kind = _KINDS.get(stat.S_IFMT(info.st_mode), "a special file")
            raise ValueError(f"expected a regular file, found {kind}")
        if info.st_size > _SPARSE_CHECK_BYTES and info.st_blocks * 512 < info.st_size // 64:
            raise ValueError(f"nearly all of its {info.st_size} bytes are holes (a sparse file)")
        return info.st_size


def read_bytes(path: Path, limit: int | None = None) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes."""
    size = require_file(path)
    with reading(path):
        if limit is not None and size > limit:
            raise ValueError(f"{size} bytes, at most {limit} are accepted")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(size)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file.

    Raises:
        DamagedCheckpointError: the file is missing, damaged, too large, or not an object.
    """
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        value = json.loads(data)
        if not isinstance(value, dict):
            raise ValueError(f"expected a JSON object, found {type(value).__name__}")
        return value
