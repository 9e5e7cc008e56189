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
callbacks have added their files: a directory without it is no checkpoint.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint import model_files, ownership
from pedl2det_runtime.checkpoint.progress import Progress
from pedl2det_runtime.checkpoint.rank_state import RankState
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.errors import CheckpointError


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
    """

    progress: Progress
    records: int
    best: float | None
    seed: int
    slots: int
    stopped: bool = False


@dataclass(frozen=True)
class Belongings:
    """What a checkpoint carries of the run that wrote it, the same in each of them.

    Attributes:
        config: the experiment config.
        hparams: the trial's hyperparameters.
        directory: the trial's directory.
        code: the trial's files (:func:`~pedl2det_runtime.checkpoint.code.code_of`).
        batch: what a batch is (:func:`~pedl2det_runtime.checkpoint.model_files.described_batch`).
    """

    config: dict[str, Any]
    hparams: dict[str, Any]
    directory: Path
    code: tuple[Path, ...]
    batch: Any = None


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
        metadata |= {"files": ownership.files_in(path)}
        _write_metadata(path, metadata)
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
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # not whole, damaged
            found[state.parent.name] = int(_metadata(state.parent)["steps_completed"])
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
    return ownership.are_written(ownership.files_in(path), _metadata(path)["files"])


def latest(directory: Path) -> Path | None:
    """The checkpoint under ``directory`` that has trained most batches, if there is one."""
    found = [
        (batches, (directory / name / ownership.METADATA).stat().st_mtime_ns, directory / name)
        for name, batches in steps(directory).items()
    ]
    return max(found)[2] if found else None


def read_state(checkpoint: Path, hparams: dict[str, Any], seed: int) -> State:
    """The state that a checkpoint holds.

    Raises:
        CheckpointError: it is damaged, or of a trial with another seed or hyperparameters.
    """
    saved = read_json(checkpoint / "hparams.json")
    hparams = without_credentials(hparams)
    if saved != json.loads(json.dumps(hparams)):
        names = sorted(
            name for name in saved.keys() | hparams.keys() if saved.get(name) != hparams.get(name)
        )
        raise CheckpointError(
            f"{checkpoint}: it was trained with other hyperparameters ({', '.join(names)}): "
            "continue with those, or start anew in another directory"
        )
    fields = read_json(checkpoint / "state.json")
    state = State(**fields | {"progress": Progress(**fields["progress"])})
    if state.seed != seed:
        raise CheckpointError(
            f"{checkpoint}: it was trained with seed {state.seed}, and this run has seed {seed}"
        )
    return state


def _copy_code(belongings: Belongings, target: Path) -> None:
    for path in belongings.code:
        copy = target / path.relative_to(belongings.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)


def _metadata(path: Path) -> Any:
    return json.loads((path / ownership.METADATA).read_text(encoding="utf-8"))


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


def read_json(path: Path) -> Any:
    """A JSON file of a checkpoint.

    Raises:
        CheckpointError: it is missing or damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: damaged checkpoint: {error}") from None


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
