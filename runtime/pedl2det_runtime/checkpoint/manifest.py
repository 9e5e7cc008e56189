"""Write and verify the manifest of a checkpoint: size and SHA-256 hash of every file.

``metadata.json`` lists the files under ``files`` and its own hash under ``sha256``::

    {"files": {"state.json": {"size": 201, "sha256": "5f70..."}}, "sha256": "c3ab..."}

A link added by a callback is listed as ``{"link": target}``. The marker and the signature are not
listed: a checkpoint without them still loads.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.checkpoint.untrusted_files import read_json, reading, require_file

_UNLISTED = {ownership.MARKER, ownership.METADATA, ownership.SIGNATURE}
#: Prefixes of the files that pedl2det reads; unlisted files with them are refused.
_RESERVED = (
    *("determined-keras-model", "pedl-keras-model", "optimizer.json", "state.json", "rank-"),
    *("experiment_config.json", "hparams.json", ownership.METADATA),
)


def describe_files(directory: Path) -> dict[str, dict[str, Any]]:
    """Return the entry of every file of a checkpoint, by relative path.

    Raises:
        DamagedCheckpointError: a callback added a special file.
        OSError: a file cannot be read.
    """
    return {name: entry_of(path) for name, path in _files(directory) if name not in _UNLISTED}


def with_hash(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata with their own hash added."""
    plain: dict[str, Any] = json.loads(json.dumps(metadata, default=str))
    return plain | {"sha256": _hash(plain)}


def verify(directory: Path) -> None:
    """Compare a checkpoint's files with its manifest.

    Raises:
        DamagedCheckpointError: a file is missing, added, changed, a link or a special file.
    """
    place = directory / ownership.METADATA
    metadata = read_json(place)
    with reading(place):
        files, expected = metadata.get("files", {}), metadata.pop("sha256", None)
        if expected != _hash(metadata):
            raise ValueError("its content differs from its hash")
    present = refuse_special(directory, files)
    for name, entry in files.items():
        path = directory / name
        if name not in present:
            require_file(path)
            with reading(place):
                raise ValueError(f"it lists {name!r}, which is not below the checkpoint")
        with reading(path):
            _compare(path, entry)
    for name in present - set(files):
        with reading(directory / name):
            if name.startswith(_RESERVED) and name not in _UNLISTED:
                raise ValueError("it was added after the checkpoint was written")


def refuse_special(directory: Path, listed: Any = ()) -> set[str]:
    """Return the paths of a checkpoint's files and links; refuse links that are not ``listed``."""
    names = set()
    for name, path in _files(directory):
        is_listed = name in listed and not name.startswith((*_RESERVED, "code"))
        if not (path.is_symlink() and is_listed):
            require_file(path)
        names.add(name)
    return names


def _files(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and path of every file and link, also of links to directories."""
    for parent, folders, files in os.walk(directory):
        links = (name for name in folders if Path(parent, name).is_symlink())
        for name in sorted([*files, *links]):
            path = Path(parent, name)
            yield path.relative_to(directory).as_posix(), path


def entry_of(path: Path) -> dict[str, Any]:
    """Return the entry of one file."""
    if path.is_symlink():
        return {"link": str(path.readlink())}
    return {"size": require_file(path), "sha256": _hash_of_file(path)}


def _compare(path: Path, entry: dict[str, Any]) -> None:
    if path.is_symlink():
        if entry != {"link": str(path.readlink())}:
            raise ValueError("it differs from its entry in metadata.json")
        return
    size = path.stat().st_size
    if size != entry["size"]:
        raise ValueError(f"it has {size} bytes, expected {entry['size']}")
    if _hash_of_file(path) != entry["sha256"]:
        raise ValueError("its content differs from its hash in metadata.json")


def _hash_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hash(metadata: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(metadata, sort_keys=True).encode()).hexdigest()
