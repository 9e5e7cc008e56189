"""Damaged and hostile checkpoints: named in one line, never used, never trusted."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import uuid
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tensorflow as tf
from determined.keras import callbacks, load_model_from_checkpoint_path

import damage
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.checkpoint import resource_limits, safe_pickle, signature
from pedl2det_runtime.checkpoint.describe import describe_checkpoint
from pedl2det_runtime.checkpoint.state import RankState
from pedl2det_runtime.errors import CheckpointError, DamagedCheckpointError
from support import pedl2det, write_tree
from training import Trained, Trial, X, config, run

#: Who wrote a checkpoint matters to its removal, and who signed it to its code.
UNVERIFIED = {"pedl2det-checkpoint.json", "pedl2det-signature.json"}
EACH_TWO = {"min_checkpoint_period": {"batches": 2}}


class Counting(callbacks.Callback):
    """A callback with a state."""

    def get_state(self) -> Any:
        return {"count": 3}

    def load_state(self, state: Any) -> None:
        assert state == {"count": 3}


class Dropping(Trial):
    """A model with an optimizer and a random layer whose states matter."""

    model: type = tf.keras.Sequential

    def build_model(self) -> Any:
        layers = [tf.keras.layers.Dense(8, input_shape=(3,)), tf.keras.layers.Dropout(0.5)]
        model = self.context.wrap_model(self.model([*layers, tf.keras.layers.Dense(1)]))
        model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        return model

    def keras_callbacks(self) -> list[Any]:
        return [Counting()]


class Undescribed(tf.keras.Sequential):
    """A model that HDF5 cannot describe."""

    def get_config(self) -> Any:
        raise NotImplementedError


class InTensorFlowsFormat(Dropping):
    model = Undescribed


def without_most_code(out: Path) -> Path:
    """Leave two files of the code: a trial has some, these tests are many."""
    for path in out.glob("checkpoints/*"):
        for other in path.glob("code/*"):
            if other.name not in ("support.py", "training.py"):
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        damage.with_hashes(path)
        signature.sign(path, signature.files_of(path))
    return out


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with checkpoints at batches 2 and 4."""
    out = tmp_path_factory.mktemp("half")
    run(Dropping, out, config(4, **EACH_TWO))
    return without_most_code(out)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """The same to batch 6, undisturbed."""
    return run(Dropping, tmp_path_factory.mktemp("whole"), config(6, **EACH_TWO))


@pytest.fixture
def out(half: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(half, tmp_path / "out"))


def at(out: Path, batches: int) -> Path:
    names = checkpoint_directory.steps(out / "checkpoints")
    return next(out / "checkpoints" / name for name, done in names.items() if done == batches)


def flip(path: Path, place: int = -1) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


def test_a_flipped_bit_makes_a_run_resume_from_the_older_checkpoint(
    out: Path, whole: Trained
) -> None:
    damaged = at(out, 4)
    model = damaged / "determined-keras-model.h5"
    flip(model, model.stat().st_size // 2)
    older = at(out, 2)

    resumed = run(Dropping, out, config(6, **EACH_TWO), resume=True)

    assert (
        f"{model}: damaged checkpoint: its content differs from its hash in metadata.json; "
        f"resuming from {older.name} at batch 2: 2 batches are lost"
    ) in resumed.said
    assert resumed.weights == whole.weights
    assert damaged.is_dir()


def test_a_damaged_checkpoint_does_not_count_among_those_that_are_kept(out: Path) -> None:
    flip(at(out, 4) / "state.json")
    keep = {"checkpoint_storage": {"save_trial_best": 0, "save_trial_latest": 1}}

    resumed = run(Dropping, out, config(3, **keep), resume=True)

    assert resumed.checkpoints == [3, 4]
    assert checkpoint_directory.newest_undamaged(out / "checkpoints")[0] == at(out, 3)


@pytest.mark.slow
def test_without_a_whole_checkpoint_a_run_ends_with_one_line_and_2(tmp_path: Path) -> None:
    source = "from training import Trial as T\n"
    config_file = (
        "entrypoint: model_def:T\nhyperparameters: {global_batch_size: 4}\n"
        "searcher: {name: single, metric: val_loss, max_length: {batches: 2}}\n"
    )
    trial = {"model_def.py": source, "const.yaml": config_file}
    directory = write_tree(tmp_path / "trial", trial)
    shutil.copy(Path(__file__).with_name("training.py"), directory)
    results = tmp_path / "out"
    assert pedl2det("run", directory, "--out", results).returncode == 0
    (path,) = (results / "checkpoints").iterdir()
    flip(path / "hparams.json")

    done = pedl2det("run", directory, "--out", results, "--resume")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"pedl2det: {path}/hparams.json: damaged checkpoint: its content differs from its hash in "
        f"metadata.json; {results}/checkpoints has no undamaged checkpoint: start a new run "
        "with another --out"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("trial", [Dropping, InTensorFlowsFormat], ids=["h5", "tf"])
def test_every_mutation_is_named_and_leaves_the_older_checkpoint(
    trial: type[Trial], half: Path, tmp_path: Path
) -> None:
    if trial is InTensorFlowsFormat:
        run(trial, tmp_path / "half", config(4, **EACH_TWO))
        half = without_most_code(tmp_path / "half")
    newest, older = at(half, 4), at(half, 2)
    directory, copy = newest.parent, tmp_path / "copy"
    names = {newest.name, older.name}

    tried = 0
    for name, change in damage.mutations(newest, random.Random(7)):
        newest.rename(copy)
        os.system(f"cp -a --sparse=always {copy} {newest}")  # pipes too
        change(newest)
        found, damaged = checkpoint_directory.newest_undamaged(directory)
        file = name.partition(": ")[2]
        if file in UNVERIFIED and found == newest:
            pass
        elif name == "delete: metadata.json":  # as a kill leaves it
            assert (found, damaged) == (older, {})
        else:
            message = str(damaged.get(newest))
            assert found == older, name
            assert str(newest) in message, name
            assert "\n" not in message, name
        shutil.rmtree(newest)
        copy.rename(newest)
        tried += 1

    assert tried > 150
    assert {path.name for path in directory.iterdir()} == names


def test_callbacks_that_are_damaged_do_not_look_like_an_error_of_the_trial(out: Path) -> None:
    path = at(out, 4)
    (path / "rank-0" / "callbacks.pkl").write_bytes(b"garbage")
    damage.with_hashes(path)

    with pytest.raises(DamagedCheckpointError, match=r"^/.*callbacks\.pkl: damaged checkpoint: "):
        run(Dropping, out, config(6, **EACH_TWO), resume=True)


@pytest.mark.parametrize("data", damage.PICKLES.values(), ids=damage.PICKLES)
def test_pickles_take_little_memory(data: bytes, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    os.chdir(tmp_path)
    try:
        value = safe_pickle.loads(data)
    except CheckpointError as error:
        assert "\n" not in str(error)
    else:
        assert len(data) < 100, value
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 1_500_000  # KiB
    assert not (tmp_path / "HACKED").exists()


def test_no_hostile_checkpoint_takes_memory_or_runs_code(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest is right: an attacker can write it too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(resource_limits, "SECONDS", 2)
    path, copy = at(out, 4), tmp_path / str(uuid.uuid4())
    model = load_model_from_checkpoint_path(path)
    expected = model.predict(X, verbose=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for name, change in damage.HOSTILE.items():
        shutil.copytree(path, copy)
        change(copy)
        is_of_rank = ".pkl" in name or ".npz" in name or "rank-0" in name
        try:
            loaded = read_rank(copy) if is_of_rank else load_model_from_checkpoint_path(copy)
        except CheckpointError as error:
            assert str(copy) in str(error), name
            assert "\n" not in str(error), name
        else:
            assert loaded is None or np.array_equal(loaded.predict(X, verbose=0), expected)
        shutil.rmtree(copy)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert peak < before + 1_500_000, name  # KiB
    assert not (tmp_path / "HACKED").exists()


def read_rank(path: Path) -> None:
    checkpoint_directory.verify(path)
    RankState.read(path, 0)


def test_a_pipe_or_a_link_among_determineds_files_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "determined-keras-model")

    with pytest.raises(DamagedCheckpointError, match="found a named pipe"):
        load_model_from_checkpoint_path(tmp_path)


def test_a_damaged_model_of_determined_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "determined-keras-model").write_bytes(b"\x89HDF\r\n\x1a\n and no more")

    with pytest.raises(DamagedCheckpointError, match="determined-keras-model: damaged checkpoint"):
        load_model_from_checkpoint_path(tmp_path)


def test_a_lambda_layer_runs_only_if_it_is_trusted(tmp_path: Path) -> None:
    layers = [tf.keras.layers.Dense(1, input_shape=(3,)), tf.keras.layers.Lambda(lambda x: x + 1)]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    model.save(str(tmp_path / "determined-keras-model.h5"), save_format="h5")

    with pytest.raises(CheckpointError, match=r"may run code.* \(Lambda\); .*pass trust=True"):
        load_model_from_checkpoint_path(tmp_path)
    loaded = load_model_from_checkpoint_path(tmp_path, trust=True)

    assert np.array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))


@pytest.fixture
def untold(tmp_path: Path) -> Path:
    """A checkpoint in TensorFlow's format."""
    return run(InTensorFlowsFormat, tmp_path, config(2)).checkpoint


def test_a_model_that_only_code_can_build_says_so(untold: Path) -> None:
    (untold / "pedl2det-signature.json").unlink()

    with pytest.raises(CheckpointError, match="only its code can build this model.*trust=True"):
        load_model_from_checkpoint_path(untold)


def test_the_manifest_holds_sizes_and_hashes(out: Path) -> None:
    path = at(out, 4)
    files = json.loads((path / "metadata.json").read_text())["files"]

    written = {str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()}
    assert set(files) == written - {"metadata.json", *UNVERIFIED}


def test_links_and_files_of_callbacks_are_in_the_manifest(tmp_path: Path) -> None:
    class Adding(callbacks.Callback):
        def on_checkpoint_end(self, checkpoint_dir: str) -> None:
            Path(checkpoint_dir, "notes.txt").write_text("x")
            Path(checkpoint_dir, "link").symlink_to("nowhere")

    class Added(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Adding()]

    path = run(Added, tmp_path, config(2)).checkpoint
    checkpoint_directory.verify(path)
    flip(path / "notes.txt")

    with pytest.raises(DamagedCheckpointError, match=r"notes\.txt: damaged checkpoint"):
        checkpoint_directory.verify(path)


@pytest.mark.parametrize("name", ["show", "load", "from-checkpoint", "resume"])
def test_an_hdf5_file_that_is_never_read_to_its_end(
    name: str, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """256 zeros in it hang the library in a call that hears no signal."""
    monkeypatch.setattr(resource_limits, "SECONDS", 2)
    path = at(out, 4)
    (path / "determined-keras-model.h5").write_bytes(damage.endless_hdf5())
    damage.with_hashes(path)
    calls = {
        "show": lambda: describe_checkpoint(path),
        "load": lambda: load_model_from_checkpoint_path(path),
        "from-checkpoint": lambda: run(Dropping, tmp_path / "new", config(6), from_checkpoint=path),
        "resume": lambda: checkpoint_directory.verify(path),
    }

    with pytest.raises(DamagedCheckpointError, match=r"h5: damaged.* in 2 seconds of CPU time"):
        calls[name]()


def test_a_manifest_lists_no_file_outside_of_its_checkpoint(out: Path) -> None:
    path = at(out, 4)
    (path.parent / "other").write_text("x")
    damage.with_hashes(path, beside=["../other"])

    with pytest.raises(DamagedCheckpointError, match=r"lists '../other', which is not below"):
        checkpoint_directory.verify(path)


def test_a_resumed_run_names_what_it_cannot_verify(out: Path) -> None:
    path = at(out, 4)
    with h5py.File(path / "determined-keras-model.h5", "a") as file:
        file.attrs["more"] = "of somebody"
    damage.with_hashes(path)

    said = run(Dropping, out, config(6), resume=True).said

    assert [line for line in said if "signed" in line] == [
        f"{path} is not signed by you as it is: whether it is what the run wrote, nothing shows; "
        "if you trust it: pedl2det checkpoint trust"
    ]


def test_a_whole_hdf5_file_is_read_directly_by_a_resumed_run(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource_limits, "read_first", None)

    assert "resumed at batch 4" in run(Dropping, out, config(6), resume=True).said
