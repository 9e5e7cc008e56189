"""Find the checkpoint that a new run begins with, and record it in the directory of the run.

``--from-checkpoint`` or the config names it. A run that ends before its first own checkpoint begins
again with the recorded one when it resumes.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter

from pedl2det_runtime.api.trial_info import TrialInfo
from pedl2det_runtime.checkpoint import directory, manifest, ownership
from pedl2det_runtime.checkpoint.old_formats.old_checkpoint import NAMES, open_old
from pedl2det_runtime.checkpoint.storage import local_paths
from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.distributed.ranks import seen_by_all
from pedl2det_runtime.errors import CheckpointError, ConfigError
from pedl2det_runtime.training.run_options import RunOptions

NAME = "pedl2det-source.json"
_KEY = "searcher.source_checkpoint_uuid"
_REMEDY = f"name its directory with --from-checkpoint, or begin without it: --set {_KEY}=null"


@dataclass(frozen=True)
class SourceCheckpoint:
    """The checkpoint that a new run begins with.

    Attributes:
        path: its directory, absolute.
        weights_only: whether only its weights are taken.
    """

    path: Path
    weights_only: bool = False

    def __str__(self) -> str:
        """Return the options that name it."""
        return f"--from-checkpoint {self.path}{' --weights-only' if self.weights_only else ''}"


def read_source(out: Path) -> SourceCheckpoint | None:
    """Return the checkpoint that the run in ``out`` began with; None if none is recorded.

    Raises:
        ConfigError: pedl2det did not write the file of this name.
    """
    path = out / NAME
    ownership.refuse_foreign(path, directory=False)
    try:
        return TypeAdapter(SourceCheckpoint).validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise ConfigError(
            f"{path}: pedl2det did not write this, and does not replace it: move it away, "
            "or choose another directory with --out"
        ) from None


def write_source(out: Path, source: SourceCheckpoint | None) -> None:
    """Record the checkpoint that a new run begins with, atomically; replace an earlier record.

    Raises:
        ConfigError: the record cannot be written, or pedl2det did not write the present one.
    """
    path = out / NAME
    present = read_source(out)
    try:
        if source is not None:
            with tempfile.TemporaryDirectory(dir=out, prefix=f".{NAME}.") as beside:
                partial = Path(beside, NAME)
                partial.write_text(json.dumps(asdict(source), default=str) + "\n", encoding="utf-8")
                partial.replace(path)
        elif present is not None:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def source_of_all(
    options: RunOptions, info: TrialInfo, *, has_checkpoint: bool
) -> SourceCheckpoint | None:
    """Return the checkpoint to begin with, at a path that this process sees, if there is one.

    Args:
        options: what the user asked for.
        info: config and rank.
        has_checkpoint: whether the run continues from a checkpoint of its own; it begins with none
            then.

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
    else:
        manifest.refuse_special(path)


def _source(
    options: RunOptions, config: ExperimentConfig, has_checkpoint: bool
) -> SourceCheckpoint | None:
    """Return the recorded checkpoint of a resumed run, or choose and record one."""
    recorded = read_source(options.out) if options.resume else None
    if recorded or has_checkpoint:
        _refuse_other(options, recorded)
    if has_checkpoint:
        return None
    source = recorded or _chosen(options, config)
    if source is not None:
        require_checkpoint(source.path)
    write_source(options.out, source)
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
