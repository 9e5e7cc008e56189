"""Checkpoints: a directory that is whole or is not there.

=================================  ==========================================================
``determined-keras-model.h5``      architecture, weights and optimizer (``model.save``)
``determined-keras-model-weights`` instead, for a model that HDF5 cannot describe: TensorFlow's
                                   format, with the optimizer
``optimizer.json``                 what callbacks may have changed in the optimizer
``state.json``                     progress, what the reports knew
``rank-0/``, ``rank-1/`` ...       what each process has for itself (:mod:`.rank_state`)
``experiment_config.json``         the config, without credentials
``hparams.json``                   the hyperparameters
``code/``                          the modules that the trial imports (:mod:`.code`)
``pedl2det-checkpoint.json``       the checkpoint's and the run's UUID (:mod:`.ownership`)
``metadata.json``                  ``steps_completed``, versions, format, what a batch is, files
=================================  ==========================================================

It is written beside its place, synced and renamed, and gets its ``metadata.json`` last, when the
callbacks have added their files: a directory without it is no checkpoint. ``metadata.json`` holds
the hash of every file (:mod:`.manifest`), which are verified before a run resumes.
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
    """What a run must remember beside its model.

    Attributes:
        progress: how far it is.
        records: lines of ``metrics.jsonl`` at this batch.
        best: the best value of the searcher's metric so far.
        seed: the trial's seed.
        slots: the processes that trained it.
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
class Belongings:
    """What a checkpoint carries of the run that wrote it, the same in each of them.

    Attributes:
        config: the experiment config.
        hparams: the trial's hyperparameters.
        directory: the trial's directory.
        code: the trial's files (:func:`~pedl2det_runtime.checkpoint.code.code_of`).
        batch: what a batch is (:func:`~pedl2det_runtime.checkpoint.model_files.described_batch`).
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
    belongings: Belongings,
    finish: Callable[[Path], None] = lambda _: None,
) -> Path:
    """Write a checkpoint under ``directory`` and return its own directory.

    Args:
        directory: where the run's checkpoints are.
        model: the model, with its optimizer.
        state: the progress.
        ranks: what each process has for itself.
        run: the UUID of the run.
        belongings: what every checkpoint of the run carries.
        finish: may add files to the directory before the checkpoint counts as whole.

    Raises:
        CheckpointError: the disk refused.
    """
    path = None  # what was created here and may be removed again
    try:
        path = ownership.create(directory, run)
        described: dict[str, Any] = model_files.save(model, path)
        _write_json(path / "state.json", asdict(state))
        for rank, own in enumerate(ranks):
            own.write(path, rank)
        for name, value in (
            ("experiment_config", belongings.config),
            ("hparams", belongings.hparams),
        ):
            (path / f"{name}.json").touch(mode=0o600)
            _write_json(path / f"{name}.json", without_credentials(value))
        _copy_code(belongings, path / "code")
        _sync_tree(path)
        path = ownership.give_final_name(path)
        finish(path)
        metadata = described | keras_versions.described()
        metadata |= {"steps_completed": state.progress.batches, "batch": belongings.batch}
        metadata |= {"compiled": belongings.compiled, "files": manifest.described(path)}
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
    """The batches that each whole checkpoint under ``directory`` has trained, by its name.

    Checkpoints of Determined do not count: they have no ``state.json`` to go on from.
    """
    found = {}
    for state in directory.glob("[!.]*/state.json"):
        metadata = state.parent / ownership.METADATA
        with contextlib.suppress(DamagedCheckpointError), reading(metadata):  # or not whole
            found[state.parent.name] = int(read_json(metadata)["steps_completed"])
    return found


def steps_of_run(directory: Path, run: str) -> dict[str, int]:
    """The batches that each whole checkpoint of one run has trained, by its name."""
    return {
        name: batches
        for name, batches in steps(directory).items()
        if ownership.read_owner(directory / name) == ownership.Owner(name, run)
    }


def holds_only_own_files(path: Path) -> bool:
    """Whether nobody has added a file to a whole checkpoint."""
    written = read_json(path / ownership.METADATA).get("files")
    names = [name for name in written if isinstance(name, str)] if written else []
    return ownership.are_written(ownership.files_in(path), names)


def latest(directory: Path) -> Path | None:
    """The checkpoint under ``directory`` that has trained most batches, if there is one."""
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
    """Whether a directory is, or was before it was damaged, a checkpoint of pedl2det."""
    return os.path.lexists(path / "state.json") or ownership.read_owner(path) is not None


def verify(path: Path) -> None:
    """Verify every file of a checkpoint, before anything of it is used.

    Raises:
        DamagedCheckpointError: it names the file and what is wrong.
    """
    if manifest.verify(path):
        return
    for name in ("hparams.json", "experiment_config.json"):  # an earlier version wrote no hashes
        read_json(path / name)
    _state(path)
    for rank in range(max(len([*path.glob("rank-*")]), 1)):
        RankState.read(path, rank)
    model_files.check(path)


def _newest_first(directory: Path) -> list[Path]:
    """The checkpoints under ``directory``, those with unreadable metadata first."""
    known = steps(directory)
    found = [
        (known.get(path.name, math.inf), (path / ownership.METADATA).lstat().st_mtime_ns, path)
        for path in directory.glob("[!.]*")
        if path.name in known
        or ((path / "rank-0").is_dir() and os.path.lexists(path / ownership.METADATA))
    ]
    return [path for _, _, path in sorted(found, reverse=True)]


def read_state(checkpoint: Path) -> State:
    """The state that a checkpoint holds.

    Raises:
        DamagedCheckpointError: it is damaged.
    """
    return _state(checkpoint)


def written_with(checkpoint: Path) -> dict[str, Any]:
    """Return the metadata of a checkpoint: versions, and what ``build_model`` compiled.

    Raises:
        DamagedCheckpointError: they are damaged.
    """
    metadata: dict[str, Any] = read_json(checkpoint / ownership.METADATA)
    return metadata


def _copy_code(belongings: Belongings, target: Path) -> None:
    for path in belongings.code:
        copy = target / path.relative_to(belongings.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _state(checkpoint: Path) -> State:
    path = checkpoint / "state.json"
    data = read_bytes(path, JSON_BYTES)
    with reading(path):
        return TypeAdapter(State).validate_json(data)


def _write_metadata(path: Path, metadata: dict[str, Any]) -> None:
    """Make a checkpoint whole; a callback's file of this name is an error."""
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
        if not path.is_symlink():  # of a callback
            _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
