"""Lines and pages of trials that are verified one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.engine import Result
from pedl2det.verify import series
from pedl2det.verify.verdict import Conclusion, Verdict


def test_a_trial_that_is_verified_once_more_keeps_its_number_and_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []

    def verify(directory: Path, *_: object, report: Path, **__: object) -> Verdict:
        pages.append(report.name)
        return Verdict(Conclusion.EQUAL, "equal", directory)

    monkeypatch.setattr(series, "verify_trial", verify)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    verify_next = series.Series(2, Path("r.html"), said.append)

    for name in ("a", "a", "b"):
        verify_next(Path(name), result=Result())

    assert [line for line in said if "training" in line] == [
        "[1/2] a: training it as it is and migrated",
        "[1/2] a: training it as it is and in the second form",
        "[2/2] b: training it as it is and migrated",
    ]
    assert pages == ["a.html", "a.html", "b.html"]
