"""A verdict says of each assumption whether it held, and decides the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.verify.compare import Comparison, Difference
from pedl2det.verify.verdict import CheckedAssumption, Conclusion, Verdict, with_assumptions

ASSUMED = CheckedAssumption("every batch is whole", Path("data.py"), 3, None)


def said(outcome: Conclusion, *differences: Difference, trains: bool = True) -> str:
    comparison = Comparison(differences=differences) if trains else None
    verdict = Verdict(outcome, "", Path("trial"), comparison)
    (one,) = with_assumptions(verdict, (ASSUMED,)).assumptions
    return str(one)


def test_an_assumption_holds_if_the_trials_are_equal() -> None:
    assert said(Conclusion.EQUAL) == "data.py:3: assumes: every batch is whole: held"


def test_else_it_is_said_from_where_on_it_may_be_false() -> None:
    start = "data.py:3: assumes: every batch is whole: unknown: "
    differs = Conclusion.DIFFERENT

    assert said(differs, Difference("", 7)) == start + "the runs differ from batch 7 on"
    assert said(differs, Difference("")) == start + "the weights differ"
    assert said(Conclusion.NEW_FAILS, trains=False) == start + "new does not train"


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("equal", 0),
        ("different", 1),
        ("not repeatable", 1),
        ("new does not train", 1),
        ("left", 1),
        ("old does not train", 2),
    ],
)
def test_the_exit_code_follows_from_the_outcome(outcome: str, code: int) -> None:
    assert Conclusion(outcome).exit_code == code
