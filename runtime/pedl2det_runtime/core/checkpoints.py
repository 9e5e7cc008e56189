"""``context.checkpoint``: checkpoints of a user's own files.

A checkpoint is the directory ``<storage>/<uuid>``. Its ``metadata.json`` is written last; without
it a checkpoint is not complete, and is not read.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pedl2det_runtime.api.containers import merge_dicts
from pedl2det_runtime.checkpoint.storage import open_storage
from pedl2det_runtime.config.experiment_config import CheckpointStorage
from pedl2det_runtime.config.reader import config_from, local_config
from pedl2det_runtime.core.json_values import checked_json
from pedl2det_runtime.core.modes import DownloadMode
from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.errors import CheckpointError, ConfigError
from pedl2det_runtime.errors.determined import CheckpointNotFound

METADATA = "metadata.json"
Selector = Callable[[str], bool]
_log = logging.getLogger("determined.core")


def storage_of(value: str | os.PathLike[str] | dict[str, Any]) -> CheckpointStorage:
    """Return the storage of ``core.init(checkpoint_storage=...)``.

    Args:
        value: a directory, ``s3://bucket/prefix``, ``gs://bucket/prefix``, or the section
            ``checkpoint_storage`` of a config.

    Raises:
        ConfigError: it is none of these.
    """
    section = value if isinstance(value, dict) else _section_of(value)
    storage = config_from(local_config({"checkpoint_storage": section})).checkpoint_storage
    if storage is None or storage.type is None:
        kinds = "shared_fs, directory, s3, gcs or azure"
        raise ConfigError(f"checkpoint_storage.type: expected {kinds}, got None")
    return storage


def _section_of(value: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the section ``checkpoint_storage`` of a config for a directory or a URL."""
    try:
        place = os.fsdecode(value)
    except TypeError:
        raise ConfigError(
            f"checkpoint_storage: expected a directory, s3://, gs:// or a mapping, got {value!r}"
        ) from None
    kind, path = place.split("://", 1) if "://" in place else ("file", place)
    if kind == "file" and path:
        return {"type": "directory", "container_path": str(Path(path).resolve())}
    if kind in ("s3", "gs"):
        bucket, _, prefix = path.partition("/")
        return {"type": kind.replace("gs", "gcs"), "bucket": bucket, "prefix": prefix or None}
    raise ConfigError(f"checkpoint_storage: {place}: expected a directory, s3:// or gs://")


class CheckpointContext:
    """Checkpoints of a training.

    Args:
        dist: the processes of the training.
        storage: where checkpoints are.

    Raises:
        ConfigError: the storage cannot be used.
    """

    def __init__(self, dist: DistributedContext, storage: CheckpointStorage) -> None:
        self._dist = dist
        self._files, self._base = open_storage(storage)
        self._is_local = "file" in self._files.protocol

    @contextlib.contextmanager
    def store_path(
        self, metadata: dict[str, Any] | None = None, *, shard: bool = False
    ) -> Iterator[tuple[Path, str]]:
        """Yield a directory to write to and its UUID; at the end of the block it is a checkpoint.

        If the block raises, there is no checkpoint.

        Args:
            metadata: is written to ``metadata.json``.
            shard: whether all processes write to the checkpoint, and call this; otherwise the
                chief alone may.

        Raises:
            RuntimeError: a process other than the chief calls this without ``shard``.
            CheckFailedError: the metadata cannot be written as JSON.
        """
        name = self._new_name("store_path", metadata, shard)
        if not self._is_local:
            with tempfile.TemporaryDirectory() as scratch:
                yield Path(scratch), name
                self._put(Path(scratch), name, metadata, shard, None)
            return
        directory = Path(self._base) / name
        directory.mkdir(parents=True, exist_ok=shard)
        with self._writing(name, metadata, shard):
            yield directory, name

    def upload(
        self,
        ckpt_dir: str | os.PathLike[str] | None,
        metadata: dict[str, Any] | None = None,
        *,
        shard: bool = False,
        selector: Selector | None = None,
    ) -> str:
        """Copy a directory to a new checkpoint; return its UUID.

        Args:
            ckpt_dir: the directory; None if this process has no files of a sharded checkpoint.
            metadata: is written to ``metadata.json``.
            shard: whether all processes call this, and the checkpoint has the files of all.
            selector: returns whether to copy a file, by its path in the directory.

        Raises:
            RuntimeError: there is nothing to copy, or a process other than the chief calls this
                without ``shard``.
            CheckFailedError: the metadata cannot be written as JSON.
            CheckpointError: there is no such directory, or two processes have a file of the same
                name.
        """
        if ckpt_dir is None and not shard:
            raise RuntimeError("upload(ckpt_dir=None, shard=False) would store nothing at all")
        source = None if ckpt_dir is None else Path(ckpt_dir)
        if source is not None and not source.is_dir():
            raise CheckpointError(f"{ckpt_dir}: expected the directory to upload, there is none")
        name = self._new_name("upload", metadata, shard)
        self._put(source, name, metadata, shard, selector)
        return name

    def download(
        self,
        storage_id: str,
        ckpt_dir: str | os.PathLike[str],
        download_mode: DownloadMode = DownloadMode.LocalWorkersShareDownload,
        *,
        selector: Selector | None = None,
    ) -> None:
        """Copy a checkpoint to a directory, which is created if it is missing.

        Args:
            storage_id: the UUID of the checkpoint.
            ckpt_dir: the directory.
            download_mode: whether one process of each machine copies for all of them; all call it.
            selector: returns whether to copy a file, by its path in the checkpoint.

        Raises:
            CheckpointNotFound: there is no complete checkpoint of this UUID.
        """
        shares = download_mode is DownloadMode.LocalWorkersShareDownload
        if not shares or self._dist.local_rank == 0:
            self._get(storage_id, Path(ckpt_dir), selector)
        if shares:
            self._dist.broadcast_local(None)

    @contextlib.contextmanager
    def restore_path(
        self,
        storage_id: str,
        download_mode: DownloadMode = DownloadMode.LocalWorkersShareDownload,
        *,
        selector: Selector | None = None,
    ) -> Iterator[Path]:
        """Yield a directory with the files of a checkpoint, valid inside the block.

        Args:
            storage_id: the UUID of the checkpoint.
            download_mode: whether the processes of a machine share it; all call this then.
            selector: returns whether a file is needed; a local checkpoint is yielded as it is.

        Raises:
            CheckpointNotFound: there is no complete checkpoint of this UUID.
        """
        if self._is_local:
            yield Path(self._place(storage_id))
            return
        shares = download_mode is DownloadMode.LocalWorkersShareDownload
        with contextlib.ExitStack() as stack:
            directory = None
            if not shares or self._dist.local_rank == 0:
                directory = stack.enter_context(tempfile.TemporaryDirectory())
                self._get(storage_id, Path(directory), selector)
            yield Path(self._dist.broadcast_local(directory) if shares else str(directory))
            if shares:
                self._dist.broadcast_local(None)  # before it is removed

    def get_metadata(self, storage_id: str) -> dict[str, Any]:
        """Return the metadata of a checkpoint.

        Raises:
            CheckpointNotFound: there is no complete checkpoint of this UUID.
        """
        metadata = json.loads(self._files.cat_file(f"{self._place(storage_id)}/{METADATA}"))
        return dict(metadata)

    def delete(self, storage_id: str) -> None:
        """Delete a checkpoint.

        Raises:
            CheckpointNotFound: there is no complete checkpoint of this UUID.
        """
        place = self._place(storage_id)
        self._files.rm_file(f"{place}/{METADATA}")  # no longer complete
        self._files.rm(place, recursive=True)
        _log.info("deleted checkpoint %s", storage_id)

    def _new_name(self, method: str, metadata: dict[str, Any] | None, shard: bool) -> str:
        """Check the arguments of a method that writes; return the UUID of the checkpoint."""
        if self._dist.rank and not shard:
            raise RuntimeError(f"{method}(shard=False) may be called by the chief alone")
        checked_json("metadata", metadata or {})
        name = str(uuid.uuid4())
        return str(self._dist.broadcast(name)) if shard else name

    def _put(
        self,
        source: Path | None,
        name: str,
        metadata: dict[str, Any] | None,
        shard: bool,
        selector: Selector | None,
    ) -> None:
        """Copy files to a checkpoint, then complete it."""
        paths = sorted(source.rglob("*")) if source else []
        files = [str(path.relative_to(source or ".")) for path in paths if path.is_file()]
        files = [file for file in files if file != METADATA and (not selector or selector(file))]
        if shard:
            all_files = [file for part in self._dist.allgather(files) for file in part]
            if twice := sorted({file for file in all_files if all_files.count(file) > 1}):
                raise CheckpointError(f"several processes upload {twice[0]} to one checkpoint")
        with self._writing(name, metadata, shard):
            for file in files:
                target = f"{self._base}/{name}/{file}"
                self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
                self._files.put_file(str((source or Path()) / file), target)

    @contextlib.contextmanager
    def _writing(self, name: str, metadata: dict[str, Any] | None, shard: bool) -> Iterator[None]:
        """Complete a checkpoint after the block: write the metadata of all processes.

        If that or the block fails, the checkpoint is removed.
        """
        place = f"{self._base}/{name}"
        try:
            yield
            merged: dict[str, Any] = {}
            for one in self._dist.allgather(metadata) if shard else [metadata]:
                merged = merge_dicts(merged, one or {})
            if self._dist.rank == 0:
                self._files.makedirs(place, exist_ok=True)
                text = checked_json("metadata", merged, indent=2)
                self._files.pipe_file(f"{place}/{METADATA}", text.encode())
                _log.info("saved checkpoint %s", name)
        except BaseException:
            with contextlib.suppress(Exception):
                self._files.rm(place, recursive=True)
            raise
        if shard:
            self._dist.broadcast(None)

    def _get(self, storage_id: str, directory: Path, selector: Selector | None) -> None:
        place = self._place(storage_id)
        directory.mkdir(parents=True, exist_ok=True)
        for path in self._files.find(place):
            file = path.rpartition(f"{storage_id}/")[2]
            if selector is None or selector(file):
                target = directory / file
                target.parent.mkdir(parents=True, exist_ok=True)
                self._files.get_file(path, str(target))

    def _place(self, storage_id: str) -> str:
        """Return the path of a complete checkpoint."""
        place = f"{self._base}/{storage_id}"
        is_name = isinstance(storage_id, str) and storage_id not in ("", ".", "..")
        if not is_name or "/" in storage_id or not self._files.exists(f"{place}/{METADATA}"):
            raise CheckpointNotFound(f"{self._base}: it has no complete checkpoint {storage_id}")
        return place
