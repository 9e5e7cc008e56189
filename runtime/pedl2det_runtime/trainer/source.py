"""Find the checkpoint that a new run begins with: ``--from-checkpoint``, or the config names it."""

from __future__ import annotations

from pathlib import Path

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import directory
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import NAMES, open_old
from pedl2det_runtime.checkpoint.storage import local_paths
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.distributed.sharing import seen_by_all
from pedl2det_runtime.errors import CheckpointError, ConfigError
from pedl2det_runtime.trainer.options import RunOptions

_KEY = "searcher.source_checkpoint_uuid"
_REMEDY = f"name its directory with --from-checkpoint, or begin without it: --set {_KEY}=null"


def source_of_all(options: RunOptions, info: TrialInfo) -> Path | None:
    """Return a path at which this process finds the checkpoint to begin with, if there is one.

    Raises:
        ConfigError: the config names a checkpoint that is not in its storage.
        CheckpointError: there is no checkpoint, or it is damaged.
    """
    distributed = info.distributed
    path = _source(options, info.config) if distributed.rank == 0 else None
    path = distributed.broadcast(path)
    return path and seen_by_all(path, distributed, last="")


def require_checkpoint(path: Path) -> None:
    """Refuse a path that is no checkpoint of a Keras trial; verify one of pedl2det.

    Raises:
        CheckpointError: it is none, or damaged.
    """
    if not path.is_dir():
        what = "it is a file: name its directory" if path.is_file() else "no such directory"
        raise CheckpointError(f"{path}: {what}")
    if directory.is_own(path):
        directory.verify(path)
    elif open_old(path) is None:
        raise CheckpointError(
            f"{path}: no checkpoint of a Keras trial: expected state.json, or one of "
            f"{', '.join(NAMES)}"
        )


def _source(options: RunOptions, config: ExperimentConfig) -> Path | None:
    name = config.searcher.source_checkpoint_uuid
    path = options.from_checkpoint or (None if name is None else _stored(config, name))
    if path is not None:
        require_checkpoint(path)
    elif options.weights_only:
        raise ConfigError("--weights-only: name the checkpoint with --from-checkpoint")
    return path


def _stored(config: ExperimentConfig, name: str) -> Path:
    """Return the checkpoint of this UUID in the storage of the config."""
    if Path(name).name != name:
        raise ConfigError(f"{_KEY}: expected the UUID of a checkpoint, got {name!r}")
    storage = config.checkpoint_storage
    places = local_paths(storage, name) if storage and storage.type else []
    for path in places:
        if path.is_dir():
            return path
    searched = f"not in {places[0].parent}" if places else "checkpoint_storage is no directory here"
    raise ConfigError(f"{_KEY}: {name}: {searched}: {_REMEDY}")
