"""``run.json``: one record of a run, written whole, which replaces those of earlier versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training import run_record
from pedl2det_runtime.training.display import Ended
from pedl2det_runtime.training.run_record import RunEnd, RunRecord, SourceCheckpoint
from support import read_tree, write_tree

SOURCE = SourceCheckpoint(Path("/old"), weights_only=True)
END = RunEnd("t", 0, Ended(8, 4, 1.0, None, 0.5, ("a=1",)), 8, 2, verbose=True)
OLD_SOURCE = json.dumps({"path": "/old", "weights_only": True})
OLD_END = """{"title": "t", "seed": 0, "length": 8, "records": 2, "verbose": true, "ended":
{"batches": 8, "trained": 4, "seconds": 1.0, "best": null, "last": 0.5, "continue_with": ["a=1"]}}
"""
OLD = {"pedl2det-source.json": OLD_SOURCE, "pedl2det-end.json": OLD_END}


@pytest.mark.parametrize("source", [None, SOURCE])
@pytest.mark.parametrize("end", [None, END])
def test_what_is_written_is_read(
    source: SourceCheckpoint | None, end: RunEnd | None, tmp_path: Path
) -> None:
    record = RunRecord(source, end)
    run_record.write(tmp_path, record)

    assert run_record.read(tmp_path) == record
    assert [*read_tree(tmp_path)] == ["run.json"]


def test_no_record_is_an_empty_one(tmp_path: Path) -> None:
    assert run_record.read(tmp_path) == run_record.read(tmp_path / "out") == RunRecord(None, None)


def test_records_of_an_earlier_version_are_read_and_then_replaced(tmp_path: Path) -> None:
    write_tree(tmp_path, OLD)

    record = run_record.read(tmp_path)
    run_record.write(tmp_path, record)

    assert record == run_record.read(tmp_path) == RunRecord(SOURCE, END)
    assert [*read_tree(tmp_path)] == ["run.json"]


def test_an_end_that_a_kill_cut_off_is_no_end(tmp_path: Path) -> None:
    write_tree(tmp_path, {**OLD, "pedl2det-end.json": OLD_END[:40]})

    assert run_record.read(tmp_path) == RunRecord(SOURCE, None)


def test_a_source_of_somebody_else_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pedl2det-source.json": "{}"})

    with pytest.raises(ConfigError, match=r"source\.json: pedl2det did not write this"):
        run_record.read(tmp_path)


def test_files_of_somebody_else_with_the_old_names_stay(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pedl2det-source.json": "mine", "pedl2det-end.json": "mine"})

    run_record.write(tmp_path, RunRecord(SOURCE, END))

    assert run_record.read(tmp_path) == RunRecord(SOURCE, END)
    assert len(read_tree(tmp_path)) == 3


@pytest.mark.parametrize("text", ["", "{}", '{"source": null}', "[1]", '{"source": 1, "end": 2}'])
def test_a_record_of_somebody_else_is_refused(text: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"run.json": text})

    with pytest.raises(ConfigError, match=r"run\.json: pedl2det did not write this"):
        run_record.read(tmp_path)
