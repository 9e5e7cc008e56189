"""Find the checkpoint that a new run begins with, and record it (:mod:`.run_record`).

``--from-checkpoint`` or the config names it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import directory, manifest
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import open_checkpoint
from pedl2det_runtime.checkpoint.storage import local_paths
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.distributed.ranks import seen_by_all
from pedl2det_runtime.errors import CheckpointError, ConfigError
from pedl2det_runtime.training import run_record
from pedl2det_runtime.training.run_options import RunOptions
from pedl2det_runtime.training.run_record import RunRecord, SourceCheckpoint

_KEY = "searcher.source_checkpoint_uuid"
_REMEDY = f"name its directory with --from-checkpoint, or begin without it: --set {_KEY}=null"


def source_of_all(
    options: RunOptions, info: TrialInfo, *, has_checkpoint: bool
) -> SourceCheckpoint | None:
    """Return the checkpoint to begin with, at a path that this process sees, if there is one.

    A run that continues from a checkpoint of its own begins with none.

    Raises:
        ConfigError: the config names a checkpoint that is not in its storage, or the options name
            another one than the resumed run began with.
        CheckpointError: there is no checkpoint, or it is damaged.
    """
    distributed = info.distributed
    found = _source(options, info.config, has_checkpoint) if distributed.rank == 0 else None
    source: SourceCheckpoint | None = distributed.broadcast(found)
    return source and replace(source, path=seen_by_all(source.path, distributed, last=""))


def require_checkpoint(path: Path) -> None:
    """Refuse a path that is no checkpoint of a Keras trial, links and special files in it.

    A checkpoint of pedl2det is verified.
    """
    if not path.is_dir():
        raise CheckpointError(f"{path}: no such directory")
    if directory.is_own(path):
        directory.verify(path)
    else:
        open_checkpoint(path)
        manifest.refuse_special(path)


def _source(
    options: RunOptions, config: ExperimentConfig, has_checkpoint: bool
) -> SourceCheckpoint | None:
    """Return the recorded checkpoint of a resumed run, or choose and record one."""
    record = run_record.read(options.out)
    recorded = record.source if options.resume else None
    if recorded or has_checkpoint:
        _refuse_other(options, recorded)
    if has_checkpoint:
        return None
    source = recorded or _chosen(options, config)
    if source is not None:
        require_checkpoint(source.path)
    begun = RunRecord(source, end=None)
    if record != begun:
        run_record.write(options.out, begun)
    return source


def _refuse_other(options: RunOptions, recorded: SourceCheckpoint | None) -> None:
    """Refuse options that name another checkpoint than the run began with."""
    if options.from_checkpoint or options.weights_only:
        path = options.from_checkpoint or (recorded.path if recorded else Path())
        if recorded != SourceCheckpoint(path.resolve(), options.weights_only):
            raise ConfigError(
                f"--resume: {options.out}: this run began with {recorded or 'new weights'}: resume "
                "it without --from-checkpoint and --weights-only, or begin another run with "
                "another --out"
            )


def _chosen(options: RunOptions, config: ExperimentConfig) -> SourceCheckpoint | None:
    """Return the checkpoint that the options or the config name."""
    name = config.searcher.source_checkpoint_uuid
    path = options.from_checkpoint or (None if name is None else _stored(config, name))
    if path is not None:
        return SourceCheckpoint(path.resolve(), options.weights_only)
    if options.weights_only:
        raise ConfigError("--weights-only: name the checkpoint with --from-checkpoint")
    return None


def _stored(config: ExperimentConfig, name: str) -> Path:
    """Return the checkpoint of this UUID in the storage of the config."""
    if Path(name).name != name:
        raise ConfigError(f"{_KEY}: expected the UUID of a checkpoint, got {name!r}")
    storage = config.checkpoint_storage
    places = local_paths(storage, name) if storage and storage.type else []
    for path in places:
        if path.is_dir():
            return path
    kind = storage.type if storage else None
    searched = (
        f"not in {places[0].parent}"
        if places
        else f"only looked up if checkpoint_storage.type is shared_fs or directory; it is {kind}"
    )
    raise ConfigError(f"{_KEY}: {name}: {searched}: {_REMEDY}")
