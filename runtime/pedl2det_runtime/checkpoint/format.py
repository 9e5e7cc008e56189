"""Write and read the directory of a checkpoint.

=================================  ==========================================================
``determined-keras-model.h5``      architecture, weights and optimizer (``model.save``)
``determined-keras-model-weights`` the same in TensorFlow's format, for a model that HDF5 does not
                                   support
``optimizer.json``                 optimizer settings that callbacks may change
``state.json``                     progress, seed, best metric (:class:`State`)
``rank-0/``, ``rank-1/`` ...       the state of each process (:mod:`.rank_state`)
``experiment_config.json``         the config, without credentials
``hparams.json``                   the hyperparameters
``code/``                          the modules that the trial imported (:mod:`.code`)
``pedl2det-checkpoint.json``       UUIDs of the checkpoint and its run (:mod:`.ownership`)
``metadata.json``                  ``steps_completed``, versions, format, batch spec, files
=================================  ==========================================================

The directory is written under a temporary name, synced and renamed. Then callbacks add their files,
and ``metadata.json`` is written last: a directory without it is incomplete. ``metadata.json`` holds
the hash of every file (:mod:`.manifest`); the hashes are verified before a run resumes.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint import manifest, model_files, ownership
from pedl2det_runtime.checkpoint.progress import Progress
from pedl2det_runtime.checkpoint.rank_state import RankState
from pedl2det_runtime.checkpoint.reading import JSON_BYTES, read_bytes, read_json, reading
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.errors import CheckpointError, DamagedCheckpointError


@dataclass(frozen=True)
class State:
    """Training state other than the model.

    Attributes:
        progress: the number of batches trained.
        records: lines of ``metrics.jsonl`` at this batch.
        best: the best value of the searcher's metric so far.
        seed: the trial's seed.
        slots: the number of processes.
        stopped: whether a callback ended the training.
        workload: the batch at which the present workload began, if the checkpoint is within it.
        wants_to_stop: whether a callback wants the training to end after this workload.
    """

    progress: Progress
    records: int
    best: float | None
    seed: int
    slots: int
    stopped: bool = False
    workload: int | None = None
    wants_to_stop: bool = False


@dataclass(frozen=True)
class Contents:
    """What every checkpoint of a run contains beside the training state.

    Attributes:
        config: the experiment config.
        hparams: the trial's hyperparameters.
        directory: the trial's directory.
        code: the trial's files (:func:`~pedl2det_runtime.checkpoint.code.code_of`).
        batch: the batch spec (:func:`~pedl2det_runtime.checkpoint.model_files.described_batch`).
        compiled: what ``build_model`` compiled (:mod:`~pedl2det_runtime.checkpoint.compiled`).
    """

    config: dict[str, Any]
    hparams: dict[str, Any]
    directory: Path
    code: tuple[Path, ...]
    batch: Any = None
    compiled: dict[str, Any] | None = None


def save(
    directory: Path,
    model: Any,
    state: State,
    ranks: list[RankState],
    *,
    run: str,
    contents: Contents,
    finish: Callable[[Path], None] = lambda _: None,
) -> Path:
    """Write a checkpoint below ``directory`` and return its path.

    Args:
        directory: the directory of the run's checkpoints.
        model: the model, with its optimizer.
        state: the training state.
        ranks: the state of each rank.
        run: the UUID of the run.
        contents: what every checkpoint of the run contains.
        finish: may add files to the directory before the checkpoint is complete.

    Raises:
        CheckpointError: a file cannot be written.
    """
    path = None
    try:
        path = ownership.create(directory, run)
        described: dict[str, Any] = model_files.save(model, path)
        _write_json(path / "state.json", asdict(state))
        for rank, own in enumerate(ranks):
            own.write(path, rank)
        for name, value in (
            ("experiment_config", contents.config),
            ("hparams", contents.hparams),
        ):
            (path / f"{name}.json").touch(mode=0o600)
            _write_json(path / f"{name}.json", without_credentials(value))
        _copy_code(contents, path / "code")
        _sync_tree(path)
        path = ownership.give_final_name(path)
        finish(path)
        metadata = described | keras_versions.described()
        metadata |= {"steps_completed": state.progress.batches, "batch": contents.batch}
        metadata |= {"compiled": contents.compiled, "files": manifest.described(path)}
        _write_metadata(path, manifest.with_hash(metadata))
        _sync(directory)
    except BaseException as error:
        if path is not None:
            with contextlib.suppress(OSError):
                ownership.remove(path)
        if not isinstance(error, OSError):
            raise
        raise CheckpointError(
            f"{directory}: the checkpoint could not be written: {error.strerror}"
        ) from error
    return path


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


def steps_of_run(directory: Path, run: str) -> dict[str, int]:
    """Return the batches trained of each complete checkpoint of one run, by name."""
    return {
        name: batches
        for name, batches in steps(directory).items()
        if ownership.read_owner(directory / name) == ownership.Owner(name, run)
    }


def holds_only_own_files(path: Path) -> bool:
    """Return whether a complete checkpoint contains only files listed in its metadata."""
    written = read_json(path / ownership.METADATA).get("files")
    names = [name for name in written if isinstance(name, str)] if written else []
    return ownership.are_written(ownership.files_in(path), names)


def latest(directory: Path) -> Path | None:
    """Return the checkpoint below ``directory`` with the most batches; None if there is none."""
    found = steps(directory)
    return next((path for path in _newest_first(directory) if path.name in found), None)


def newest_undamaged(directory: Path) -> tuple[Path | None, dict[Path, DamagedCheckpointError]]:
    """The newest checkpoint under ``directory`` that is not damaged.

    Returns:
        The checkpoint, or None, and what is wrong with each newer one.
    """
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
    """Verify every file of a checkpoint.

    Raises:
        DamagedCheckpointError: a file is damaged.
    """
    if manifest.verify(path):
        return
    for name in ("hparams.json", "experiment_config.json"):  # earlier versions wrote no hashes
        read_json(path / name)
    _state(path)
    for rank in range(max(len([*path.glob("rank-*")]), 1)):
        RankState.read(path, rank)
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


def read_state(checkpoint: Path) -> State:
    """Return the training state in a checkpoint.

    Raises:
        DamagedCheckpointError: a file is damaged.
    """
    return _state(checkpoint)


def written_with(checkpoint: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint: versions, and what ``build_model`` compiled.

    Raises:
        DamagedCheckpointError: they are damaged.
    """
    metadata: dict[str, Any] = read_json(checkpoint / ownership.METADATA)
    return metadata


def _copy_code(contents: Contents, target: Path) -> None:
    for path in contents.code:
        copy = target / path.relative_to(contents.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _state(checkpoint: Path) -> State:
    path = checkpoint / "state.json"
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        return TypeAdapter(State).validate_json(data)


def _write_metadata(path: Path, metadata: dict[str, Any]) -> None:
    """Write ``metadata.json`` atomically; fail if a callback created a file of this name."""
    ready = path / f".{ownership.METADATA}.partial"
    for place in (ready, path / ownership.METADATA):
        ownership.refuse_existing(place)
    _write_json(ready, metadata)
    _sync_tree(path)
    ready.rename(path / ownership.METADATA)
    _sync(path)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, default=str) + "\n", encoding="utf-8")


def _sync_tree(directory: Path) -> None:
    for path in [*directory.rglob("*"), directory]:
        if not path.is_symlink():  # a callback may create links
            _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
