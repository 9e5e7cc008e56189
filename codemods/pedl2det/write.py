"""Writing files: each whole or not at all, with the permissions it had."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from pedl2det.errors import Pedl2DetError
from pedl2det.migrate import NewFile


def write_all(files: list[NewFile]) -> None:
    """Replace every file, or none: all are written beside their places, then moved there.

    Raises:
        Pedl2DetError: a file cannot be written, or has changed since it was read.
    """
    prepared: list[tuple[Path, NewFile]] = []
    try:
        for file in files:
            if file.path.read_bytes() != file.old:
                raise Pedl2DetError(
                    f"{file.path}: it changed while it was read; nothing was written"
                )
            prepared.append((_beside(file), file))
        for temporary, file in prepared:
            temporary.replace(_real(file.path))
    except OSError as error:
        raise Pedl2DetError(f"{error.filename}: cannot be written: {error.strerror}") from None
    finally:
        for temporary, _ in prepared:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()


def _beside(file: NewFile) -> Path:
    """The new bytes in a file beside the place, on the disk."""
    target = _real(file.path)
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(file.new)
        stream.flush()
        os.fsync(stream.fileno())
    shutil.copymode(target, name)
    return Path(name)


def _real(path: Path) -> Path:
    """The file behind a link: the link stays."""
    return path.resolve()
