"""What pedl2det wrote, as opposed to what somebody else put there.

Every checkpoint holds a marker that names its directory and its run. The marker is the first file
written and the last one removed, ``metadata.json`` the last one written and the first one removed:

======  =================  ==========================================================
marker  ``metadata.json``  the directory is
======  =================  ==========================================================
yes     yes                a whole checkpoint
yes     no                 half-written or half-removed, ``UUID`` or ``.UUID.partial``
no      yes or no          somebody else's: never removed, replaced or renamed
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
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from pedl2det_runtime.errors import ConfigError

MARKER = "pedl2det-checkpoint.json"
METADATA = "metadata.json"
_MARKER_BYTES = 4096
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_CACHE = "__pycache__"  # Python writes it beside the trial's code whenever that is imported


@dataclass(frozen=True)
class Owner:
    """What a marker says.

    Attributes:
        checkpoint: the checkpoint's UUID, which is the name of its directory.
        run: the UUID of the run that wrote it.
    """

    checkpoint: str
    run: str


def run_of(checkpoint: Path | None) -> str:
    """The UUID of the run that wrote a checkpoint; a new UUID if there is none."""
    owner = read_owner(checkpoint) if checkpoint else None
    return owner.run if owner else str(uuid.uuid4())


def create(directory: Path, run: str) -> Path:
    """Create the directory of a new checkpoint, marked and named as half-written.

    Args:
        directory: where the run's checkpoints are.
        run: the UUID of the run.

    Raises:
        OSError: the directory exists or the disk refused; nothing is left behind.
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
    """Rename what :func:`create` created to its UUID.

    Raises:
        OSError: something has this name; it is not replaced.
    """
    path = partial.with_name(partial.name.removeprefix(".").removesuffix(".partial"))
    refuse_existing(path)  # an empty directory would be replaced
    return partial.rename(path)


def read_owner(directory: Path) -> Owner | None:
    """The owner of a checkpoint; None if no marker in it names it."""
    marker = directory / MARKER
    try:
        if directory.is_symlink() or not stat.S_ISREG(marker.lstat().st_mode):
            return None
        with marker.open("rb") as file:
            return parse_marker(file.read(_MARKER_BYTES), directory.name)
    except OSError:
        return None


def parse_marker(data: bytes, name: str) -> Owner | None:
    """What a marker says; None unless it names the directory ``name``."""
    try:
        owner = Owner(**json.loads(data))
    except (ValueError, TypeError, RecursionError):
        return None
    return owner if name in (owner.checkpoint, _partial(owner.checkpoint)) else None


def half_written(directory: Path) -> list[Path]:
    """The checkpoints below ``directory`` that a kill left half-written or half-removed."""
    return [
        path
        for path in sorted(directory.glob("*"))
        if read_owner(path) and not os.path.lexists(path / METADATA)
    ]


def remove_empty(directory: Path) -> None:
    """Remove the empty directories of checkpoints whose first file a kill prevented."""
    for path in directory.glob(".*.partial"):
        name = path.name.removeprefix(".").removesuffix(".partial")
        if _UUID.fullmatch(name) and not path.is_symlink():
            with contextlib.suppress(OSError):  # it is not empty, or no directory
                path.rmdir()


def files_in(directory: Path) -> list[str]:
    """Everything in a checkpoint except directories, as relative paths."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir()
    )


def are_written(found: Iterable[str], written: Iterable[str]) -> bool:
    """Whether all files that were found in a checkpoint were written with it.

    Args:
        found: relative paths.
        written: what the checkpoint's metadata list.
    """
    more = set(found) - {MARKER, METADATA, *written}
    return all(_CACHE in PurePosixPath(path).parts for path in more)


def remove(checkpoint: Path) -> None:
    """Remove a checkpoint of ours; do nothing if it is not.

    Raises:
        OSError: the disk refused.
    """
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


def refuse_existing(path: Path) -> None:
    """Refuse to replace anything, also an empty directory or a broken link.

    Raises:
        FileExistsError: something is there.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, f"{path.name} exists and is not replaced", str(path))


def refuse_foreign(path: Path, *, directory: bool) -> None:
    """Refuse a place in the results that is a link or of another kind than a run needs.

    Args:
        path: the place; it need not exist.
        directory: whether a run needs a directory there; else a file.

    Raises:
        ConfigError: it says what is there.
    """
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
