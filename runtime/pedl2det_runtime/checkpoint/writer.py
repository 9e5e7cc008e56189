"""Write the directory of a checkpoint.

=================================  ==========================================================
``determined-keras-model.h5``      architecture, weights and optimizer (``model.save``)
``determined-keras-model-weights`` the same in TensorFlow's format, for a model that HDF5 does not
                                   support
``optimizer.json``                 optimizer settings that callbacks may change
``state.json``                     progress, seed, best metric (:mod:`.state`)
``rank-0/``, ``rank-1/`` ...       the state of each process (:mod:`.state`)
``experiment_config.json``         the config, without credentials
``hparams.json``                   the hyperparameters
``code/``                          the modules that the trial imported (:mod:`.code_files`)
``pedl2det-checkpoint.json``       UUIDs of the checkpoint and its run (:mod:`.ownership`)
``pedl2det-signature.json``        the user's signature of all other files (:mod:`.signature`)
``metadata.json``                  ``steps_completed``, versions, format, batch spec, files
=================================  ==========================================================

The directory is written under a temporary name and renamed. Then callbacks add their files. All is
synced, while training may go on, and ``metadata.json`` is written last: a directory without it is
incomplete. ``metadata.json`` holds the hash of every file (:mod:`.manifest`); the hashes are
verified before a run resumes.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pedl2det_runtime.backends import graph_mode, keras_versions
from pedl2det_runtime.checkpoint import manifest, model_files, ownership, signature
from pedl2det_runtime.checkpoint.code_files import code_without_credentials
from pedl2det_runtime.checkpoint.state import RankState, State
from pedl2det_runtime.config.credentials import without_credentials
from pedl2det_runtime.errors import CheckpointError


@dataclass(frozen=True)
class Contents:
    """What every checkpoint of a run contains beside the training state."""

    config: dict[str, Any]  #: the experiment config
    hparams: dict[str, Any]  #: the trial's hyperparameters
    directory: Path  #: the trial's directory
    code: tuple[Path, ...]  #: the trial's files (:func:`.code_files.code_of`)
    batch: Any = None  #: the batch spec (:func:`.model_files.describe_spec`)
    #: what ``build_model`` compiled (:mod:`~.backends.compiled_model`)
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
) -> Unfinished:
    """Write the files of a checkpoint below ``directory``; :meth:`Unfinished.complete` must follow.

    ``finish`` may add files to the checkpoint.

    Raises:
        CheckpointError: a file cannot be written.
    """
    written: list[Path] = []
    with _removed_on_error(directory, written):
        path = ownership.create(directory, run)
        written.append(path)
        described: dict[str, Any] = model_files.save(model, path)
        _write_json(path / "state.json", asdict(state))
        for rank, own in enumerate(ranks):
            own.write(path, rank)
        for name in ("experiment_config.json", "hparams.json"):
            (path / name).touch(mode=0o600)
        _write_json(path / "experiment_config.json", without_credentials(contents.config))
        _write_json(path / "hparams.json", without_credentials(contents.hparams))
        _copy_code(contents, path / "code")
        path = ownership.give_final_name(path)
        written.append(path)
        finish(path)
        metadata = described | keras_versions.describe_versions()
        metadata |= {"steps_completed": state.progress.batches, "batch": contents.batch}
        metadata |= {"graph_mode": graph_mode.is_chosen(), "compiled": contents.compiled}
        return Unfinished(path, metadata)


@dataclass(frozen=True)
class Unfinished:
    """A checkpoint without its ``metadata.json``; a run does not resume from it."""

    path: Path  #: its directory
    metadata: dict[str, Any]  #: the metadata, without the hashes of the files

    def complete(self, *, is_trusted: bool = True) -> Path:
        """Write the hashes, sync all files, and then write ``metadata.json``; any thread may do so.

        A checkpoint that is trusted, because its code is that of this user, is signed if there is a
        key. A callback must not have created files of these names.
        """
        path = self.path
        ready = path / f".{ownership.METADATA}.partial"
        with _removed_on_error(path.parent, [path]):
            files = manifest.describe_files(path)
            for place in (ready, path / ownership.METADATA, path / ownership.SIGNATURE):
                ownership.refuse_existing(place)
            _write_json(ready, manifest.with_hash(self.metadata | {"files": files}))
            if is_trusted:
                with contextlib.suppress(CheckpointError):  # no key: it is loaded with trust
                    about = {ownership.METADATA: manifest.entry_of(ready)}
                    signature.sign(path, files | about)
            for place in [*path.rglob("*"), path]:
                if not place.is_symlink():  # a callback may create links
                    _sync(place)
            ready.rename(path / ownership.METADATA)
            _sync(path)
            _sync(path.parent)
        return path


@contextlib.contextmanager
def _removed_on_error(directory: Path, written: list[Path]) -> Iterator[None]:
    """Remove what was written on an error, which becomes a CheckpointError if it is an OSError."""
    try:
        yield
    except BaseException as error:
        for path in written:
            with contextlib.suppress(OSError):
                ownership.remove(path)
        if not isinstance(error, OSError):
            raise
        raise CheckpointError(
            f"{directory}: the checkpoint could not be written: {error.strerror}"
        ) from error


def _copy_code(contents: Contents, target: Path) -> None:
    for path in contents.code:
        copy = target / path.relative_to(contents.directory)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if (code := code_without_credentials(path)) is not None:
            copy.write_bytes(code)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, default=str) + "\n", encoding="utf-8")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
