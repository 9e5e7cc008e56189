"""What somebody else put into the results, beside checkpoints or into a storage stays as it is."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from determined.keras import callbacks

import training
from pedl2det_runtime.checkpoint import directory as checkpoint_directory
from pedl2det_runtime.errors import CheckpointError, ConfigError
from support import EXAMPLES, pedl2det, write_tree
from test_run import CONFIG, MODEL, killed_at
from training import Trial, config

OLD = "8a7f7b3c-1c5c-4e8b-9f8e-0d7f2a3b4c5d"
OLDER = "1f0e3dad-9990-4b2c-8a4e-6e5d4c3b2a10"
LOOKALIKE = ".c0ffee00-1234-4abc-8def-0123456789ab.partial"
HALF = "deadbeef-0000-4000-8000-000000000001"
STRANGERS = {
    "epoch_90/w.pb": "x\n",
    "epoch_90/deep/er/w.pb": "y\n",
    "notes.txt": "mine\n",
    "metrics.kept": "mine\n",
    # A checkpoint as Determined 0.38 wrote it, further than any run of these tests comes.
    f"{OLD}/metadata.json": json.dumps({"steps_completed": 10**6, "format": "saved_weights"}),
    f"{OLD}/determined-keras-model-weights.index": "index",
    f"{OLD}/determined-keras-model-weights.data-00000-of-00001": "data",
    f"{OLD}/determined-keras-optimizer-weights.h5": "HDF",
    f"{OLD}/code/model_def.py": "x = 1\n",
    # One of Determined 0.12, which has no metadata.
    f"{OLDER}/determined-keras-model": "HDF",
    f"{LOOKALIKE}/state.json": "{}",
}


def put_strangers(place: Path, outside: Path) -> None:
    write_tree(place, STRANGERS)
    (place / "epoch_90" / "empty").mkdir()
    (place / "link").symlink_to(outside, target_is_directory=True)
    (place / "broken").symlink_to("nowhere")


def image(directory: Path) -> dict[str, object]:
    """Everything below a directory: bytes of files, targets of links, kinds and modes."""
    found: dict[str, object] = {}
    for path in sorted(directory.rglob("*")):
        mode = path.lstat().st_mode
        content: object = None
        if stat.S_ISLNK(mode):
            content = os.readlink(path)
        elif stat.S_ISREG(mode):
            content = path.read_bytes()
        found[str(path.relative_to(directory))] = (mode, content)
    return found


def assert_stays(before: dict[str, object], directory: Path) -> None:
    after = image(directory)
    assert {name: after.get(name) for name in before} == before


def storing(storage: Path) -> dict[str, Any]:
    return {
        "type": "directory",
        "container_path": str(storage),
        "save_trial_best": 0,
        "save_trial_latest": 1,
    }


def half_written(place: Path, outside: Path) -> Path:
    """What a killed run leaves: the right name and the right marker, made by hand."""
    path = place / f".{HALF}.partial"
    marker = json.dumps({"checkpoint": HALF, "run": "another"})
    write_tree(path, {"pedl2det-checkpoint.json": marker, "rank-0/random.json": "{}"})
    (path / "link").symlink_to(outside, target_is_directory=True)
    return path


def test_strangers_stay_over_run_resume_and_pruning(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"data/w.pb": "outside\n"})
    out, storage = tmp_path / "out", tmp_path / "storage"
    places = (out, out / "checkpoints", storage)
    for place in places:
        put_strangers(place, outside)
    before = [image(place) for place in (*places, outside)]
    given = {
        "checkpoint_policy": "all",
        "min_validation_period": {"batches": 2},
        "checkpoint_storage": storing(storage),
    }

    first = training.run(Trial, out, config(6, **given))
    assert first.checkpoints == [6]
    half = half_written(out / "checkpoints", outside)
    resumed = training.run(Trial, out, config(10, **given), resume=True)

    assert resumed.checkpoints == [10]
    assert "resumed at batch 6" in resumed.said
    assert not half.exists()
    assert [name for name in os.listdir(storage) if name not in os.listdir(out)] == [
        resumed.checkpoint.name
    ]
    for place, known in zip((*places, outside), before, strict=True):
        assert_stays(known, place)


@pytest.mark.slow
@pytest.mark.kills
def test_strangers_stay_over_a_kill(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"data/w.pb": "outside\n"})
    directory = write_tree(tmp_path / "trial", {"model_def.py": MODEL, "const.yaml": CONFIG})
    out, storage = tmp_path / "out", tmp_path / "storage"
    places = (out, out / "checkpoints", storage)
    for place in places:
        put_strangers(place, outside)
    before = [image(place) for place in (*places, outside)]
    more = (
        "--set", "searcher.max_length.batches=1000",
        "--set", f"checkpoint_storage={json.dumps(storing(storage))}",
    )  # fmt: skip

    killed_at(directory, out, 20, *more, is_to_go_on=True)
    for place, known in zip((*places, outside), before, strict=True):
        assert_stays(known, place)
    half = half_written(out / "checkpoints", outside)
    resumed = pedl2det("run", directory, "--out", out, "--resume", *more)

    assert resumed.returncode == 0, resumed.stderr
    assert "resumed at batch" in resumed.stdout
    assert not half.exists()
    assert list(checkpoint_directory.steps(out / "checkpoints").values()) == [1000]
    for place, known in zip((*places, outside), before, strict=True):
        assert_stays(known, place)


@pytest.mark.slow
def test_the_results_may_go_into_a_directory_with_checkpoints_of_others(tmp_path: Path) -> None:
    """The command of issue 11, and again with --resume."""
    write_tree(tmp_path, {"checkpoints/epoch_90/w.pb": "x\n"})

    for more in ((), ("--resume",)):
        done = pedl2det("run", EXAMPLES / "iris", "--out", ".", "--test", *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "checkpoints" / "epoch_90" / "w.pb").read_text() == "x\n"


@pytest.mark.parametrize("resume", [False, True], ids=["anew", "resumed"])
@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("metrics.jsonl", "file", "metrics.jsonl: pedl2det did not write this"),
        ("metrics.jsonl", "link to a file", "metrics.jsonl: .* found a symbolic link"),
        ("metrics.jsonl", "broken link", "metrics.jsonl: .* found a symbolic link"),
        ("metrics.jsonl", "directory", "metrics.jsonl: .* found a directory"),
        ("batches.jsonl", "file", "batches.jsonl: pedl2det did not write this"),
        ("batches.jsonl", "link to a file", "batches.jsonl: .* found a symbolic link"),
        ("checkpoints", "file", "checkpoints: .* found a file"),
        ("checkpoints", "link to a directory", "checkpoints: .* found a symbolic link"),
        ("checkpoints", "broken link", "checkpoints: .* found a symbolic link"),
        ("tensorboard", "file", "tensorboard: .* found a file"),
        ("tensorboard", "link to a directory", "tensorboard: .* found a symbolic link"),
        ("tensorboard/metrics", "link to a directory", "metrics: .* found a symbolic link"),
    ],
)
def test_a_stranger_where_results_go_is_one_clear_error(
    name: str, kind: str, message: str, resume: bool, tmp_path: Path
) -> None:
    outside = write_tree(tmp_path / "outside", {"empty": "", "data/w.pb": "outside\n"})
    place = tmp_path / "out" / name
    place.parent.mkdir(parents=True)
    match kind:
        case "file":
            place.write_text("loss 0.5\n")
        case "directory":
            place.mkdir()
        case "broken link":
            place.symlink_to(outside / "nowhere")
        case "link to a file":
            place.symlink_to(outside / "empty")
        case "link to a directory":
            place.symlink_to(outside / "data", target_is_directory=True)
    before = image(tmp_path)

    with pytest.raises(ConfigError, match=message) as refused:
        training.run(Trial, tmp_path / "out", config(2), resume=resume, trace=True)

    assert "move it away, or choose another directory with --out" in str(refused.value)
    assert image(tmp_path) == before


@pytest.mark.slow
def test_the_command_line_ends_with_one_line_and_2(tmp_path: Path) -> None:
    out = write_tree(tmp_path / "out", {"checkpoints": "mine\n"})

    done = pedl2det("run", EXAMPLES / "iris", "--out", out, "--test")

    assert (done.returncode, done.stderr) == (
        2,
        f"pedl2det: {out}/checkpoints: expected a directory that pedl2det may write, found a "
        "file: move it away, or choose another directory with --out\n",
    )
    assert (out / "checkpoints").read_text() == "mine\n"


def test_reports_that_are_put_aside_replace_nothing(tmp_path: Path) -> None:
    report = '{"kind": "training", "batches": 7, "epochs": 1.4, "metrics": {"loss": 0.5}}\n'
    write_tree(tmp_path, {"metrics.jsonl": report})
    (tmp_path / "metrics.jsonl.before").symlink_to("nowhere")

    training.run(Trial, tmp_path, config(2), resume=True)

    assert os.readlink(tmp_path / "metrics.jsonl.before") == "nowhere"
    assert (tmp_path / "metrics.jsonl.before.1").read_text() == report


PRUNING = {
    "min_checkpoint_period": {"batches": 2},
    "checkpoint_storage": {"save_trial_best": 0, "save_trial_latest": 1},
}


def test_a_checkpoint_of_another_run_is_not_pruned(tmp_path: Path) -> None:
    other = training.run(Trial, tmp_path / "other", config(4)).checkpoint
    training.run(Trial, tmp_path / "out", config(6, **PRUNING))
    copy = shutil.copytree(other, tmp_path / "out" / "checkpoints" / other.name)
    before = image(copy)

    resumed = training.run(Trial, tmp_path / "out", config(8, **PRUNING), resume=True)

    assert resumed.checkpoints == [4, 8]
    assert image(copy) == before


def test_a_checkpoint_to_which_a_file_was_added_is_not_pruned(tmp_path: Path) -> None:
    added = training.run(Trial, tmp_path, config(4, **PRUNING)).checkpoint
    (added / "notes.txt").write_text("my best\n")
    before = image(added)

    resumed = training.run(Trial, tmp_path, config(6, **PRUNING), resume=True)

    assert resumed.checkpoints == [4, 6]
    assert image(added) == before


def test_a_checkpoint_without_marker_is_resumed_and_not_pruned(tmp_path: Path) -> None:
    """As pedl2det wrote them at first."""
    first = training.run(Trial, tmp_path, config(4, **PRUNING)).checkpoint
    (first / "pedl2det-checkpoint.json").unlink()
    before = image(first)

    resumed = training.run(Trial, tmp_path, config(6, **PRUNING), resume=True)

    assert "resumed at batch 4" in resumed.said
    assert resumed.checkpoints == [4, 6]
    assert image(first) == before


def test_a_checkpoint_behind_a_link_is_resumed_and_not_pruned(tmp_path: Path) -> None:
    """Somebody moved it to a larger disk."""
    first = training.run(Trial, tmp_path / "out", config(4, **PRUNING)).checkpoint
    disk = first.rename(tmp_path / "disk")
    first.symlink_to(disk, target_is_directory=True)
    before = image(disk)

    resumed = training.run(Trial, tmp_path / "out", config(6, **PRUNING), resume=True)

    assert "resumed at batch 4" in resumed.said
    assert first.is_symlink()
    assert image(disk) == before


@pytest.mark.parametrize("name", ["{}", ".{}.partial"])
def test_a_checkpoint_replaces_nothing_that_has_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No UUID is drawn twice; if one were, the stranger would stay."""
    monkeypatch.setattr("uuid.uuid4", lambda: HALF)
    taken = write_tree(tmp_path / "checkpoints" / name.format(HALF), {"w.pb": "x\n"})

    with pytest.raises(CheckpointError, match="could not be written: .*[Ee]xists"):
        training.run(Trial, tmp_path, config(2))

    assert (taken / "w.pb").read_text() == "x\n"
    assert os.listdir(tmp_path / "checkpoints") == [taken.name]


def test_a_callback_that_writes_metadata_is_refused(tmp_path: Path) -> None:
    class Adding(callbacks.Callback):
        def on_checkpoint_end(self, checkpoint_dir: str) -> None:
            (Path(checkpoint_dir) / "metadata.json").write_text("{}")

    class Added(Trial):
        def keras_callbacks(self) -> list[Any]:
            return [Adding()]

    with pytest.raises(CheckpointError, match=r"metadata\.json exists and is not replaced"):
        training.run(Added, tmp_path, config(2))

    assert os.listdir(tmp_path / "checkpoints") == []


# The storage.


def test_a_name_that_is_taken_in_a_storage_is_refused(tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    first = training.run(Trial, tmp_path / "out", config(2)).checkpoint
    write_tree(storage, {f"{first.name}/determined-keras-model.h5": "mine\n"})
    before = image(storage)

    with pytest.raises(CheckpointError, match="pedl2det did not write this; move it away"):
        given = config(4, checkpoint_storage=storing(storage))
        training.run(Trial, tmp_path / "out", given, resume=True)

    assert image(storage) == before


def test_a_link_in_a_storage_is_not_followed(tmp_path: Path) -> None:
    """Somebody moved a stored checkpoint to a larger disk; pruning leaves the link and the disk."""
    out, storage, disk = tmp_path / "out", tmp_path / "storage", tmp_path / "disk"
    given = {"checkpoint_storage": storing(storage), "min_checkpoint_period": {"batches": 2}}
    first = training.run(Trial, out, config(2, **given)).checkpoint
    (storage / first.name).rename(disk)
    (storage / first.name).symlink_to(disk, target_is_directory=True)
    before = image(disk)

    resumed = training.run(Trial, out, config(4, **given), resume=True)

    assert resumed.checkpoints == [4]
    assert sorted(os.listdir(storage)) == sorted([first.name, resumed.checkpoint.name])
    assert (storage / first.name).is_symlink()
    assert image(disk) == before


def test_a_half_copied_checkpoint_is_copied_anew(tmp_path: Path) -> None:
    out, storage = tmp_path / "out", tmp_path / "storage"
    given = {"checkpoint_storage": storing(storage) | {"save_trial_latest": 9}}
    first = training.run(Trial, out, config(2, **given)).checkpoint
    stored = storage / first.name
    (stored / "metadata.json").unlink()
    (stored / "state.json").write_text("half of")

    training.run(Trial, out, config(4, **given), resume=True)

    assert image(stored) == image(first)


def test_the_directory_of_the_checkpoints_may_be_the_storage(tmp_path: Path) -> None:
    given = {**PRUNING, "checkpoint_storage": storing(tmp_path / "checkpoints")}

    trained = training.run(Trial, tmp_path, config(6, **given))

    assert trained.checkpoints == [6]
    assert os.listdir(tmp_path / "checkpoints") == [trained.checkpoint.name]
    assert (trained.checkpoint / "determined-keras-model.h5").stat().st_size > 1000
