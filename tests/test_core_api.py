"""The Core API off the cluster: reports and checkpoints are local files."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from determined import core

from pedl2det_runtime.errors import (
    CheckFailedError,
    CheckpointError,
    ConfigError,
    UnservedUseError,
)
from pedl2det_runtime.errors.determined import CheckpointNotFound
from training import config, trial_running


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[core.Context]:
    monkeypatch.chdir(tmp_path)
    with core.init() as one:
        yield one


def reports(directory: Path) -> list[tuple[Any, ...]]:
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    return [(one["kind"], one["batches"], one["metrics"]) for one in map(json.loads, lines)]


def test_reports_are_lines_of_a_file(context: core.Context, tmp_path: Path) -> None:
    context.train.report_training_metrics(steps_completed=5, metrics={"loss": np.float32(0.5)})
    context.train.report_validation_metrics(5, {"acc": 1, "confusion": np.eye(2)})
    context.train.report_metrics("inference", 6, {"nan": float("nan")})

    assert reports(tmp_path / "runs" / "core") == [
        ("training", 5, {"loss": 0.5}),
        ("validation", 5, {"acc": 1, "confusion": [[1.0, 0.0], [0.0, 1.0]]}),
        ("inference", 6, {"nan": "NaN"}),
    ]


def test_reports_of_a_second_process_are_added(context: core.Context, tmp_path: Path) -> None:
    context.train.report_training_metrics(1, {"loss": 1})
    with core.init() as second:
        second.train.report_training_metrics(2, {"loss": 2})

    lines = (tmp_path / "runs" / "core" / "metrics.jsonl").read_text().splitlines()
    assert len({json.loads(line)["run"] for line in lines}) == len(lines) == 2


@pytest.mark.parametrize(
    ("steps", "metrics", "message"),
    [
        ("1", {}, "steps_completed: expected a whole number, got '1'"),
        (1, {"model": object()}, "metrics of 'training': expected numbers or text"),
        (1, 0.5, "metrics of 'training': expected a dict, got 0.5"),
    ],
)
def test_a_bad_report_is_refused(
    steps: Any, metrics: Any, message: str, context: core.Context, tmp_path: Path
) -> None:
    with pytest.raises(CheckFailedError, match=message):
        context.train.report_training_metrics(steps, metrics)
    assert not (tmp_path / "runs" / "core" / "metrics.jsonl").exists()


def test_reports_are_not_written_through_a_link(context: core.Context, tmp_path: Path) -> None:
    (tmp_path / "runs" / "core" / "metrics.jsonl").symlink_to(tmp_path / "strangers")
    with pytest.raises(ConfigError, match=r"metrics.jsonl: the report cannot be written"):
        context.train.report_training_metrics(1, {})
    assert not (tmp_path / "strangers").exists()


def test_what_has_no_effect_off_the_cluster(
    context: core.Context, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "determined.core"):
        context.train.report_progress(0.5)
        context.train.set_status("working")
        context.train.report_early_exit(core.EarlyExitReason.INVALID_HP)
    context.profiler.on()
    context.profiler.off()
    context.preempt.acknowledge_preemption_signal()
    context.train.upload_tensorboard_files()

    assert "progress=0.5" in caplog.text and "working" in caplog.text
    assert not context.preempt.should_preempt()
    assert context.train.get_experiment_best_validation() is None
    assert context.train.get_tensorboard_path() == tmp_path / "runs" / "core" / "tensorboard"
    assert context.train.set_metadata({"a": 1}) == context.train.get_metadata() == {"a": 1}
    assert context.info is None
    with pytest.raises(UnservedUseError, match="it needs a Determined cluster, whose webhooks"):
        context.alert("title")


def test_a_stored_path_is_a_checkpoint(context: core.Context, tmp_path: Path) -> None:
    with context.checkpoint.store_path({"steps_completed": 3}) as (path, name):
        (path / "sub").mkdir()
        (path / "sub" / "file").write_text("text")
        with pytest.raises(CheckpointNotFound, match=f"has no complete checkpoint {name}"):
            context.checkpoint.download(name, tmp_path / "early")

    assert path == tmp_path / "runs" / "core" / "checkpoints" / name
    assert context.checkpoint.get_metadata(name) == {"steps_completed": 3}
    with context.checkpoint.restore_path(name) as restored:
        assert (restored / "sub" / "file").read_text() == "text"
    context.checkpoint.delete(name)
    assert not path.exists()
    with pytest.raises(CheckpointNotFound), context.checkpoint.restore_path(name):
        pass


def test_a_failed_store_path_leaves_nothing(context: core.Context) -> None:
    with pytest.raises(KeyError), context.checkpoint.store_path() as (path, _):
        (path / "file").write_text("half")
        raise KeyError
    assert list(path.parent.iterdir()) == []


def test_upload_and_download(context: core.Context, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a").mkdir(parents=True)
    (source / "a" / "kept").write_text("1")
    (source / "dropped").write_text("2")

    name = context.checkpoint.upload(source, {"x": 1}, selector=lambda path: path != "dropped")
    context.checkpoint.download(name, tmp_path / "all")
    context.checkpoint.download(name, tmp_path / "some", selector=lambda path: path == "a/kept")

    def files(directory: Path) -> list[str]:
        return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())

    assert files(tmp_path / "all") == ["a/kept", "metadata.json"]
    assert files(tmp_path / "some") == ["a/kept"]
    with pytest.raises(RuntimeError, match="would store nothing at all"):
        context.checkpoint.upload(None)


@pytest.mark.parametrize("source", ["missing", "file"])
def test_an_upload_of_no_directory_is_refused(
    source: str, context: core.Context, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("text")
    with pytest.raises(CheckpointError, match=f"{source}: expected the directory to upload"):
        context.checkpoint.upload(tmp_path / source)
    assert checkpoints(tmp_path) == []


@pytest.mark.parametrize("metadata", [{"model": object()}, [1]])
def test_bad_metadata_leaves_no_checkpoint(
    metadata: Any, context: core.Context, tmp_path: Path
) -> None:
    (tmp_path / "source").mkdir()
    with pytest.raises(CheckFailedError, match="^metadata: expected"):
        context.checkpoint.upload(tmp_path / "source", metadata)
    with (
        pytest.raises(CheckFailedError, match="^metadata: expected"),
        context.checkpoint.store_path(metadata),
    ):
        pass
    with pytest.raises(CheckFailedError, match="^metadata: expected"):
        context.train.set_metadata(metadata)
    assert checkpoints(tmp_path) == []


def test_a_failed_upload_leaves_nothing(context: core.Context, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "first").touch()
    (tmp_path / "source" / "gone").touch()

    def selector(_: str) -> bool:
        (tmp_path / "source" / "gone").unlink(missing_ok=True)
        return True

    with pytest.raises(FileNotFoundError):
        context.checkpoint.upload(tmp_path / "source", selector=selector)
    assert checkpoints(tmp_path) == []


def checkpoints(directory: Path) -> list[Path]:
    return list((directory / "runs" / "core" / "checkpoints").iterdir())


@pytest.mark.parametrize("name", [None, 5])
def test_a_checkpoint_that_is_no_name_is_not_found(
    name: Any, context: core.Context, tmp_path: Path
) -> None:
    with pytest.raises(CheckpointNotFound, match=f"no complete checkpoint {name}"):
        context.checkpoint.download(name, tmp_path / "target")


@pytest.mark.parametrize("name", ["..", "", "../other", "."])
def test_only_checkpoints_are_deleted(name: str, context: core.Context, tmp_path: Path) -> None:
    (tmp_path / "runs" / "core" / "metadata.json").write_text("{}")
    with pytest.raises(CheckpointNotFound):
        context.checkpoint.delete(name)
    assert (tmp_path / "runs" / "core" / "metadata.json").exists()


def test_checkpoints_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    directory = {"type": "shared_fs", "host_path": str(tmp_path), "storage_path": "shared"}
    places: list[Any] = ["relative", str(tmp_path / "absolute"), directory]
    for place, expected in zip(places, ("relative", "absolute", "shared"), strict=True):
        with core.init(checkpoint_storage=place) as one, one.checkpoint.store_path() as (path, _):
            assert path.parent == tmp_path / expected


@pytest.mark.parametrize(
    ("storage", "message"),
    [
        ("azure://x", "azure://x: expected a directory, s3:// or gs://"),
        ({"secret_key": "hidden"}, "checkpoint_storage.type: expected shared_fs, .*got None"),
        ({"type": "ftp"}, "checkpoint_storage.type: expected 'shared_fs', .*got 'ftp'"),
        ({"type": "s3", "bukcet": "b"}, "checkpoint_storage.bukcet: .* did you mean bucket"),
        (
            {"type": "directory", "save_trial_best": "x"},
            "checkpoint_storage.save_trial_best: expected a whole number",
        ),
        (5, "checkpoint_storage: expected a directory, s3://, gs:// or a mapping, got 5"),
        (["a"], r"checkpoint_storage: expected a directory, .* got \['a'\]"),
        ("file://", "checkpoint_storage: file://: expected a directory"),
    ],
)
def test_a_bad_storage_is_refused(
    storage: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=message):
        core.init(checkpoint_storage=storage)
    assert list(tmp_path.iterdir()) == []


def test_the_searcher_has_one_operation(context: core.Context, tmp_path: Path) -> None:
    lengths = []
    for operation in context.searcher.operations():
        lengths.append(operation.length)
        operation.report_progress(1)
        operation.report_completed(0.5)
    assert lengths == [1]
    assert context.searcher.get_configured_units() is core.Unit.EPOCHS
    with pytest.raises(RuntimeError, match="you must call op.report_completed"):
        list(context.searcher.operations())


def test_inside_a_run_the_config_says_the_length(tmp_path: Path) -> None:
    searcher = {"name": "single", "metric": "val_loss", "max_length": {"epochs": 7}}
    with trial_running(config(searcher=searcher), tmp_path), core.init() as one:
        operation = next(one.searcher.operations())
        one.train.report_training_metrics(1, {})

    assert (operation.length, one.searcher.get_configured_units()) == (7, core.Unit.EPOCHS)
    assert one.info is not None
    assert len(reports(tmp_path / "core")) == 1


def test_the_dummies_are_what_there_is_off_the_cluster() -> None:
    distributed = core.DummyDistributedContext()
    operations = core.DummySearcherContext(distributed, length=3).operations()

    assert (distributed.rank, distributed.size) == (0, 1)
    assert distributed.allgather("x") == ["x"]
    assert next(operations).length == 3
    assert not core.DummyPreemptContext(distributed).should_preempt()
    core.DummyTrainContext().report_training_metrics(1, {"loss": 1})
