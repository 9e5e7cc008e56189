"""What ``DeterminedCallback`` needs of the Core API: reports and checkpoints are local files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from determined import core

from pedl2det_runtime.errors import CheckpointNotFound, ConfigError, UnservedNameError
from training import config, trial_running


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> core.Context:
    monkeypatch.chdir(tmp_path)
    with core.init() as one:
        return one


def reports(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "metrics.jsonl").read_text().splitlines()]


def test_reports_have_the_lines_of_a_run(context: core.Context, tmp_path: Path) -> None:
    context.train.report_training_metrics(5, {"loss": np.float32(0.5), "epochs": 2})
    with core.init() as second:
        second.train.report_validation_metrics(6, {"accuracy": 1})

    assert reports(tmp_path / "runs" / "core") == [
        {"kind": "training", "batches": 5, "epochs": 2.0, "metrics": {"loss": 0.5, "epochs": 2.0}},
        {"kind": "validation", "batches": 6, "epochs": 0.0, "metrics": {"accuracy": 1.0}},
    ]


def test_reports_are_written_into_no_other_file(context: core.Context, tmp_path: Path) -> None:
    (tmp_path / "runs" / "core").mkdir(parents=True)
    file = tmp_path / "runs" / "core" / "metrics.jsonl"
    file.symlink_to(tmp_path / "mine")
    (tmp_path / "mine").write_text("mine\n")

    with pytest.raises(ConfigError, match="metrics.jsonl"):
        context.train.report_training_metrics(1, {"loss": 1})
    assert (tmp_path / "mine").read_text() == "mine\n"


def test_a_stored_path_is_a_checkpoint(context: core.Context, tmp_path: Path) -> None:
    with context.checkpoint.store_path({"steps_completed": 4}) as (path, name):
        (path / "weights").write_text("w")
        assert not (path / "metadata.json").exists()  # it is written last

    assert path == tmp_path / "runs" / "core" / "checkpoints" / name
    assert json.loads((path / "metadata.json").read_text()) == {"steps_completed": 4}
    with context.checkpoint.restore_path(name) as restored:
        assert (restored / "weights").read_text() == "w"


def test_a_failed_store_path_leaves_nothing(context: core.Context, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="full"), context.checkpoint.store_path():
        raise ValueError("full")

    assert not list((tmp_path / "runs" / "core" / "checkpoints").iterdir())


@pytest.mark.parametrize("name", [None, 5, "..", "", "../other", ".", "unfinished"])
def test_what_is_no_complete_checkpoint_is_not_found(
    name: Any, context: core.Context, tmp_path: Path
) -> None:
    (tmp_path / "runs" / "core" / "checkpoints" / "unfinished").mkdir(parents=True)

    with pytest.raises(CheckpointNotFound), context.checkpoint.restore_path(name):
        pass


def test_checkpoints_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with core.init(checkpoint_storage="there") as one, one.checkpoint.store_path() as (path, _):
        pass

    assert path.parent == tmp_path / "there"


def test_inside_a_run_results_are_in_its_directory(tmp_path: Path) -> None:
    with trial_running(config(), tmp_path), core.init() as one:
        one.train.report_training_metrics(1, {"loss": 1})
        assert one.info is not None

    assert len(reports(tmp_path / "core")) == 1


ITSELF = "determined==0.38.1 itself serves all of it, without a cluster too"


@pytest.mark.parametrize("storage", ["s3://bucket/x", {"type": "s3"}, ""])
def test_other_storages_are_refused(storage: Any) -> None:
    with pytest.raises(ConfigError, match="expected a directory") as raised:
        core.init(checkpoint_storage=storage)
    assert ITSELF in str(raised.value)


@pytest.mark.parametrize(
    "code",
    [
        *("core.SearcherContext", "core.PreemptMode", "context.searcher", "context.profiler"),
        *("context.train.get_metadata", "context.checkpoint.upload", "context.alert"),
    ],
)
def test_the_rest_is_refused_in_one_message(code: str, context: core.Context) -> None:
    with pytest.raises(UnservedNameError, match=re.escape(ITSELF)) as raised:
        eval(code, {"core": core, "context": context})
    assert code.rpartition(".")[2] in str(raised.value)
