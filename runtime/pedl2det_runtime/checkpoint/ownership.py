"""Distinguish checkpoints that pedl2det wrote from directories of others.

Every checkpoint has a marker file that names its directory and its run. The marker is the first
file written and the last one removed; ``metadata.json`` is the last one written and the first one
removed:

======  =================  ==========================================================
marker  ``metadata.json``  the directory is
======  =================  ==========================================================
yes     yes                a complete checkpoint
yes     no                 half-written or half-removed, ``UUID`` or ``.UUID.partial``
no      yes or no          foreign: never removed, replaced or renamed
======  =================  ==========================================================

No function here follows a symbolic link.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import tempfile
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from pedl2det_runtime.errors import ConfigError

MARKER = "pedl2det-checkpoint.json"
METADATA = "metadata.json"
SIGNATURE = "pedl2det-signature.json"
_MARKER_BYTES = 4096
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CACHE = "__pycache__"  # written when the trial's code is imported


@dataclass(frozen=True)
class Owner:
    """The content of a marker."""

    checkpoint: str  #: the checkpoint's UUID, which is also its directory name
    run: str  #: the UUID of the run that wrote it


def run_of(checkpoint: Path | None) -> str:
    """Return the UUID of the run that wrote a checkpoint; a new UUID if there is none."""
    owner = read_owner(checkpoint) if checkpoint else None
    return owner.run if owner else str(uuid.uuid4())


def create(directory: Path, run: str) -> Path:
    """Create the directory of a new checkpoint, with a temporary name and a marker.

    Raises:
        OSError: the directory exists or cannot be written; nothing is left behind.
    """
    owner = Owner(str(uuid.uuid4()), run)
    path = directory / _partial(owner.checkpoint)
    path.mkdir(mode=0o700, parents=True)
    try:
        (path / MARKER).write_text(json.dumps(asdict(owner)) + "\n", encoding="utf-8")
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return path


def give_final_name(partial: Path) -> Path:
    """Rename the directory that :func:`create` created to its UUID."""
    path = partial.with_name(partial.name.removeprefix(".").removesuffix(".partial"))
    refuse_existing(path)  # rename would replace an empty directory
    return partial.rename(path)


def read_owner(directory: Path) -> Owner | None:
    """Return the owner of a checkpoint; None if its marker is missing or invalid."""
    marker = directory / MARKER
    try:
        if directory.is_symlink() or not stat.S_ISREG(marker.lstat().st_mode):
            return None
        with marker.open("rb") as file:
            return parse_marker(file.read(_MARKER_BYTES), directory.name)
    except OSError:
        return None


def parse_marker(data: bytes, name: str) -> Owner | None:
    """Parse a marker; return None unless it names the directory ``name``."""
    try:
        owner = Owner(**json.loads(data))
    except (ValueError, TypeError, RecursionError):
        return None
    return owner if name in (owner.checkpoint, _partial(owner.checkpoint)) else None


def half_written(directory: Path) -> list[Path]:
    """Return the checkpoints below ``directory`` that are half-written or half-removed."""
    return [
        path
        for path in sorted(directory.glob("*"))
        if read_owner(path) and not os.path.lexists(path / METADATA)
    ]


def remove_empty(directory: Path) -> None:
    """Remove empty directories of checkpoints that a kill left without a marker."""
    for path in directory.glob(".*.partial"):
        name = path.name.removeprefix(".").removesuffix(".partial")
        if _UUID.fullmatch(name) and not path.is_symlink():
            with contextlib.suppress(OSError):  # not empty, or not a directory
                path.rmdir()


def are_written(present: Iterable[str], written: Iterable[str]) -> bool:
    """Return whether a checkpoint's metadata lists all its files, except caches of Python."""
    added = set(present) - {MARKER, METADATA, SIGNATURE, *written}
    return all(_CACHE in PurePosixPath(path).parts for path in added)


def remove(checkpoint: Path) -> None:
    """Remove a checkpoint of pedl2det; leave other directories unchanged."""
    if read_owner(checkpoint) is None:
        return
    inside = sorted(
        checkpoint.iterdir(), key=lambda path: (path.name == MARKER, path.name != METADATA)
    )
    for path in inside:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    checkpoint.rmdir()


def replace_file(path: Path, text: str) -> None:
    """Write a file of ours atomically."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
        partial = Path(beside, path.name)
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)


def refuse_existing(path: Path) -> None:
    """Refuse a path that exists, including an empty directory or a broken link."""
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, f"{path.name} exists and is not replaced", str(path))


def foreign_file_error(path: Path) -> ConfigError:
    """Return the error about a file of somebody else that has the name of one of ours."""
    return ConfigError(
        f"{path}: pedl2det did not write this, and does not replace it: move it away, or choose "
        "another directory with --out"
    )


def refuse_foreign(path: Path, *, directory: bool) -> None:
    """Refuse a path in the results that exists and is a link, or of an unexpected type."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if stat.S_ISDIR(mode) if directory else stat.S_ISREG(mode):
        return
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a directory", stat.S_IFREG: "a file"}
    raise ConfigError(
        f"{path}: expected {'a directory' if directory else 'a file'} that pedl2det may write, "
        f"found {kinds.get(stat.S_IFMT(mode), 'a special file')}: move it away, "
        "or choose another directory with --out"
    )


def _partial(name: str) -> str:
    return f".{name}.partial"
