"""A verdict says of each assumption whether it held, and decides the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.verify.compare import Comparison, Difference
from pedl2det.verify.verdict import CheckedAssumption, Conclusion, Verdict, with_assumptions

ASSUMED = CheckedAssumption("every batch is whole", Path("data.py"), 3, "not verified")


def said(outcome: Conclusion, *differences: Difference, trains: bool = True) -> str:
    comparison = Comparison(differences=differences) if trains else None
    verdict = Verdict(outcome, "", Path("trial"), comparison)
    (one,) = with_assumptions(verdict, (ASSUMED,)).assumptions
    return str(one)


def test_an_assumption_holds_if_the_trials_are_equal() -> None:
    assert said(Conclusion.EQUAL) == "data.py:3: assumes: every batch is whole: held"


def test_else_it_is_said_from_where_on_it_may_be_false() -> None:
    start = "data.py:3: assumes: every batch is whole: "
    differs = Conclusion.DIFFERENT

    assert said(differs, Difference("", 7)) == (
        f"{start}may be false: the runs differ from batch 7 on"
    )
    assert said(differs, Difference("")) == f"{start}may be false: the weights differ"
    assert said(Conclusion.NEW_FAILS, trains=False) == f"{start}unknown: new does not train"
    assert said(Conclusion.NOT_REPEATABLE, Difference("", 7)) == f"{start}unknown: not repeatable"


def test_of_several_assumptions_none_is_blamed() -> None:
    verdict = Verdict(Conclusion.DIFFERENT, "", Path("trial"), Comparison(differences=()))

    both = with_assumptions(verdict, (ASSUMED, ASSUMED)).assumptions

    assert [one.answer for one in both] == ["one of these may be false: the weights differ"] * 2


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
