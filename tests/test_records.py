"""The logs of a run: only its own are written to, and they go on where a checkpoint was."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det_runtime.checkpoint.json_lines import REPORT, JsonLines, read_lines
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.training.display import Report
from pedl2det_runtime.training.reports import Reports
from support import write_tree

LINE = '{"kind": "training", "batches": 7, "epochs": 1.4, "metrics": {"loss": NaN}}\n'


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        (LINE * 2, 2),
        (LINE + LINE[:30], 1),
        (LINE + LINE[:3], 1),
        (LINE + LINE[:30] + "\0" * 9, 1),
        (LINE + "\0" * 9, 1),
    ],
)
def test_a_log_that_a_kill_cut_off_is_ours(text: str, lines: int, tmp_path: Path) -> None:
    log = write_tree(tmp_path, {"log": text}) / "log"

    assert len(read_lines(log, REPORT)) == lines


@pytest.mark.parametrize(
    "text", ["x", "\n", "{}\n", "[1]\n", '{"loss": 1}\n', LINE + "note\n", LINE + "note", "\0\n"]
)
def test_a_log_of_somebody_else_is_refused_and_stays(text: str, tmp_path: Path) -> None:
    log = write_tree(tmp_path, {"log": text}) / "log"

    with pytest.raises(ConfigError, match="log: pedl2det did not write this"):
        JsonLines(log, REPORT)

    assert log.read_text() == text


def test_a_log_is_cut_back_and_goes_on(tmp_path: Path) -> None:
    log = write_tree(tmp_path, {"log": LINE * 3 + LINE[:30]}) / "log"

    lines = JsonLines(log, REPORT, 2)
    lines.write({"kind": "validation"})

    assert log.read_text() == LINE * 2 + '{"kind": "validation"}\n'
    assert lines.written == 3
    assert [path.name for path in tmp_path.iterdir()] == ["log"]


def test_two_writers_of_events_in_one_second_have_two_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        reports = Reports(tmp_path / name, 0)
        reports.write(Report("training", 1, 0.2, {"loss": 0.5}))
        reports.sync()

    names = {path.name for path in tmp_path.glob("*/tensorboard/metrics/*")}
    assert len(names) == 2
