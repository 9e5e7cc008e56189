"""A trial that uses the support pieces trains as the old one, to the last bit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pedl2det.support import render
from pedl2det_runtime.checkpoint.directory import latest
from pedl2det_runtime.checkpoint.model_files import read_weights
from support import pedl2det

pytestmark = pytest.mark.slow

TRIALS = Path(__file__).with_name("trials")
PIECES = {
    "asking": (
        *("get_hyperparameter", "get_hyperparameters", "get_experiment_config", "get_trial_seed"),
        *("get_experiment_id", "get_trial_id", "download_once", "get_download_data_dir"),
        *("InMemorySequence", "KerasDataAdapter", "training_loader", "validation_loader"),
        *("Session", "multi_gpu_model", "trained", "context"),
        "ragged_array",
    ),
    "epochs": ("InMemorySequence", "with_epoch_logs"),
    "early": ("bind", "whole_batches", "wrap_dataset"),
}
#: All batches that a trial trains; a callback ends the one with epochs.
BATCHES = {"asking": 32, "epochs": 77, "early": 40}


def copy(name: str, version: str, home: Path) -> Path:
    """Copy a trial; the new one gets its legacy_keras.py."""
    directory = home / version
    shutil.copytree(TRIALS / name / version, directory)
    if version == "new":
        (directory / "legacy_keras.py").write_text(render(PIECES[name]))
    return directory


def train(directory: Path, *options: object) -> None:
    out = directory.parent / f"out-{directory.name}"
    done = pedl2det("run", directory, "--out", out, *options)
    assert done.returncode == 0, done.stdout + done.stderr


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def weights(out: Path) -> dict[str, bytes]:
    checkpoint = latest(out / "checkpoints")
    assert checkpoint is not None
    return {name: array.tobytes() for name, array in read_weights(checkpoint).items()}


def assert_alike(home: Path, *files: str) -> None:
    """Compare the metrics of every report, the weights, and files that the trial wrote."""
    old, new = home / "out-old", home / "out-new"
    assert lines(old / "metrics.jsonl") == lines(new / "metrics.jsonl")
    assert weights(old) == weights(new)
    for file in files:
        assert (home / "old" / file).read_text() == (home / "new" / file).read_text()


@pytest.mark.parametrize("name", PIECES)
def test_every_batch_and_all_weights_are_alike(name: str, tmp_path: Path) -> None:
    for version in ("old", "new"):
        train(copy(name, version, tmp_path), "--trace")

    old, new = (lines(tmp_path / f"out-{each}" / "batches.jsonl") for each in ("old", "new"))
    assert len(old) == BATCHES[name]
    assert old == new
    assert_alike(tmp_path)


def test_callbacks_are_told_the_same(tmp_path: Path) -> None:
    for version in ("old", "new"):
        train(copy("epochs", version, tmp_path))

    assert_alike(tmp_path, "told.jsonl", "epochs.csv")
    ends = [line for line in lines(tmp_path / "new" / "told.jsonl") if line[1] == "epoch end"]
    assert [end[2] for end in ends] == [0, 1, 2, 3, 4, 5]
    assert all({"acc", "accuracy", "loss", "mae"} <= end[3].keys() for end in ends)


def test_callbacks_are_told_the_same_after_a_resume(tmp_path: Path) -> None:
    """An epoch has 12 batches: the run is interrupted within one."""
    for version in ("old", "new"):
        directory = copy("epochs", version, tmp_path)
        train(directory, "--max-batches", 42)
        train(directory, "--resume")

    assert_alike(tmp_path, "told.jsonl", "epochs.csv")
    assert len(lines(tmp_path / "new" / "told.jsonl")) > 250


def test_epochs_may_be_those_of_the_config(tmp_path: Path) -> None:
    """12 batches of 4 records."""
    train(copy("epochs", "old", tmp_path))
    new = copy("epochs", "new", tmp_path)
    model_def, config = new / "model_def.py", new / "const.yaml"
    model_def.write_text(
        model_def.read_text().replace("callbacks, self.data_loaders[0])", "callbacks)")
    )
    config.write_text(config.read_text() + "records_per_epoch: 48\n")

    train(new)

    assert "callbacks)\n" in model_def.read_text()
    assert (tmp_path / "old" / "told.jsonl").read_text() == (new / "told.jsonl").read_text()
    assert weights(tmp_path / "out-old") == weights(tmp_path / "out-new")
