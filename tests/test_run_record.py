"""``run.json``: one record of a run, written whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training import run_record
from pedl2det_runtime.training.display import Ended
from pedl2det_runtime.training.run_record import RunEnd, RunRecord, SourceCheckpoint
from support import read_tree, write_tree

SOURCE = SourceCheckpoint(Path("/old"), weights_only=True)
END = RunEnd("t", 0, Ended(8, 4, 1.0, None, 0.5, ("a=1",)), 8, 2, verbose=True)


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


@pytest.mark.parametrize("text", ["", "{}", '{"source": null}', "[1]", '{"source": 1, "end": 2}'])
def test_a_record_of_somebody_else_is_refused(text: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"run.json": text})

    with pytest.raises(ConfigError, match=r"run\.json: pedl2det did not write this"):
        run_record.read(tmp_path)
