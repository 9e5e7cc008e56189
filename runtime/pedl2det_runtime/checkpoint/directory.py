"""Find and verify the checkpoints in a directory."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path

from pedl2det_runtime.checkpoint import manifest, model_files, ownership, signature
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading
from pedl2det_runtime.errors import DamagedCheckpointError


def steps(directory: Path) -> dict[str, int]:
    """Return the batches trained of each complete checkpoint below ``directory``, by name.

    Checkpoints of Determined are skipped: without ``state.json`` a run cannot resume from them.
    """
    batches = {}
    for state in directory.glob("[!.]*/state.json"):
        metadata = state.parent / ownership.METADATA
        with contextlib.suppress(DamagedCheckpointError), reading(metadata):  # or incomplete
            batches[state.parent.name] = int(read_json(metadata)["steps_completed"])
    return batches


def holds_only_own_files(path: Path) -> bool:
    """Return whether a complete checkpoint contains only files listed in its metadata."""
    written = read_json(path / ownership.METADATA).get("files") or ()
    present = (
        place.relative_to(path).as_posix()
        for place in path.rglob("*")
        if place.is_symlink() or not place.is_dir()
    )
    return ownership.are_written(present, map(str, written))


def latest(directory: Path) -> Path | None:
    """Return the checkpoint below ``directory`` with the most batches; None if there is none."""
    found = steps(directory)
    return next((path for path in _newest_first(directory) if path.name in found), None)


def newest_undamaged(directory: Path) -> tuple[Path | None, dict[Path, DamagedCheckpointError]]:
    """Return the newest undamaged checkpoint, and what is wrong with each newer one."""
    damaged = {}
    for path in _newest_first(directory):
        try:
            verify(path)
        except DamagedCheckpointError as error:
            damaged[path] = error
        else:
            return path, damaged
    return None, damaged


def is_own(path: Path) -> bool:
    """Return whether a directory is a checkpoint of pedl2det, possibly damaged."""
    return os.path.lexists(path / "state.json") or ownership.read_owner(path) is not None


def verify(path: Path) -> None:
    """Verify every file of a checkpoint, and that a model which this user has not signed is read.

    Raises:
        DamagedCheckpointError: a file is damaged.
        CheckpointError: the key that signs cannot be used.
    """
    manifest.verify(path)
    if not signature.is_signed(path):
        model_files.check(path)


def _newest_first(directory: Path) -> list[Path]:
    """Return the checkpoints below ``directory``; unreadable metadata first, then newest first."""
    known = steps(directory)
    checkpoints = [
        (known.get(path.name, math.inf), (path / ownership.METADATA).lstat().st_mtime_ns, path)
        for path in directory.glob("[!.]*")
        if path.name in known
        or ((path / "rank-0").is_dir() and os.path.lexists(path / ownership.METADATA))
    ]
    return [path for _, _, path in sorted(checkpoints, reverse=True)]
