"""Copy checkpoints to the ``checkpoint_storage`` of the config.

Storage is accessed through fsspec. Clouds need an additional package: s3fs, gcsfs or adlfs.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pedl2det_runtime.checkpoint import ownership
from pedl2det_runtime.config.credentials import scrubbed
from pedl2det_runtime.config.experiment_config import CheckpointStorage
from pedl2det_runtime.errors import CheckpointError, ConfigError

_PROTOCOLS = {"shared_fs": "file", "directory": "file", "s3": "s3", "gcs": "gs", "azure": "abfs"}
_PACKAGES = {"s3": "s3fs", "gcs": "gcsfs", "azure": "adlfs"}
#: The keys whose values make the path of the checkpoints; the first is required.
_PATHS = {
    "shared_fs": ("host_path", "storage_path"),
    "directory": ("container_path",),
    "azure": ("container",),
}
_REMEDY = "or keep checkpoints only in the results: --set checkpoint_storage.type=null"


class Storage:
    """A storage of complete checkpoints by name; other files in it stay untouched."""

    def __init__(self, config: CheckpointStorage) -> None:
        import fsspec

        kind, self._fields = str(config.type), config.model_extra or {}
        self._base = _base(kind, self._fields)
        self._is_cloud = kind in _PACKAGES
        try:
            self._files = fsspec.filesystem(_PROTOCOLS[kind], **_options(kind, self._fields))
            if self._is_cloud:
                self._files.ls(self._base.partition("/")[0])  # buckets are not created
            else:
                self._files.makedirs(self._base, exist_ok=True)
        except ImportError:
            package = _PACKAGES[kind]
            raise ConfigError(
                f"checkpoint_storage.type: {kind} needs {package}: pip install {package}, {_REMEDY}"
            ) from None
        except Exception as error:  # storage types have their own exceptions
            reason = _reason(error, self._fields)
            raise ConfigError(
                f"checkpoint_storage: {self._base}: cannot be used: {reason}; {_REMEDY}"
            ) from None

    def names(self) -> set[str]:
        """Return the names of the complete checkpoints in the storage."""
        paths = self._files.glob(f"{self._base}/*/{ownership.METADATA}")
        return {path.rpartition("/")[0].rpartition("/")[2] for path in paths}

    def put(self, checkpoint: Path) -> None:
        """Copy a checkpoint; ``metadata.json`` is copied last and makes it complete.

        Raises:
            CheckpointError: the copy failed, or the name is in use.
        """
        files = [path for path in sorted(checkpoint.rglob("*")) if path.is_file()]
        first, last = checkpoint / ownership.MARKER, checkpoint / ownership.METADATA
        files.sort(key=lambda path: (path != first, path == last))
        place, owner = f"{self._base}/{checkpoint.name}", ownership.read_owner(checkpoint)
        try:
            if self._files.lexists(place):
                if owner is None or self._owner(place) != owner:
                    raise FileExistsError(f"{place}: pedl2det did not write this; move it away")
                if self._files.exists(f"{place}/{ownership.METADATA}"):
                    return
                self._files.rm(place, recursive=True)  # half-copied
            for path in files:
                target = f"{place}/{path.relative_to(checkpoint)}"
                if not self._is_cloud:
                    self._files.makedirs(target.rpartition("/")[0], exist_ok=True)
                self._files.put_file(str(path), target)
                if not self._is_cloud:
                    shutil.copymode(path, target)
        except Exception as error:
            raise CheckpointError(
                f"checkpoint_storage: {self._base}: the checkpoint could not be copied there: "
                f"{_reason(error, self._fields)}; it is in {checkpoint}, --resume goes on from it"
            ) from None

    def remove(self, owner: ownership.Owner) -> None:
        """Remove a complete checkpoint of this owner, unless a file was added to it."""
        place = f"{self._base}/{owner.checkpoint}"
        if self._owner(place) != owner or not self._files.exists(f"{place}/{ownership.METADATA}"):
            return
        about = self._files.info(place)
        if about.get("islink"):
            return
        present = (path.removeprefix(f"{about['name']}/") for path in self._files.find(place))
        metadata = json.loads(self._files.cat_file(f"{place}/{ownership.METADATA}"))
        if ownership.are_written(present, metadata["files"]):
            self._files.rm_file(f"{place}/{ownership.METADATA}")  # no longer complete
            self._files.rm(place, recursive=True)

    def _owner(self, place: str) -> ownership.Owner | None:
        """Return the owner of a checkpoint in the storage; None without a valid marker."""
        try:
            marker = self._files.cat_file(f"{place}/{ownership.MARKER}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        return ownership.parse_marker(marker, place.rpartition("/")[2])


def _reason(error: Exception, fields: dict[str, Any]) -> str:
    lines = scrubbed(str(error), fields).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}".rstrip(": ")


def local_paths(config: CheckpointStorage, name: str) -> list[Path]:
    """Return where a checkpoint of this name may be in a storage of files; nothing for a cloud."""
    kind, fields = str(config.type), config.model_extra or {}
    if _PROTOCOLS.get(kind) != "file":
        return []
    base = Path(_base(kind, fields))
    # Determined also took a storage_path that begins with host_path.
    inside = Path(str(fields.get("storage_path") or ""))
    return [path / name for path in (base, *([inside] if inside.is_absolute() else []))]


def _base(kind: str, fields: dict[str, Any]) -> str:
    """Return the path of the checkpoints in a storage."""
    place, *below = _PATHS.get(kind, ("bucket", "prefix"))
    base = fields.get(place)
    if not isinstance(base, str) or not base:
        raise ConfigError(f"checkpoint_storage.{place}: {kind} needs it, {_REMEDY}")
    parts = [str(fields[name]).strip("/") for name in below if fields.get(name)]
    return "/".join([base.rstrip("/"), *parts])


def _options(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of fsspec's file system, including credentials of the config."""
    options: dict[str, Any] = {}
    if kind == "s3":
        options = {"key": fields.get("access_key"), "secret": fields.get("secret_key")}
        if endpoint := fields.get("endpoint_url"):
            options["client_kwargs"] = {"endpoint_url": endpoint}
    elif kind == "azure":
        names = ("connection_string", "account_url", "credential")
        options = {name: fields.get(name) for name in names}
    return {name: value for name, value in options.items() if value}
