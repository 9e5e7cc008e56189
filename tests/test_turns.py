"""Tests that take turns: each has one, and every run has some of each file."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

FILE = """\
import pytest


@pytest.mark.turns(3)
@pytest.mark.parametrize("number", range(4))
def test_case(number):
    pass


@pytest.mark.turns(3)
def test_one():
    pass


@pytest.mark.turns(3)
def test_two():
    pass


def test_always():
    pass
"""


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (0, {"test_case[0]", "test_case[3]", "test_one", "test_always"}),
        (1, {"test_case[1]", "test_two", "test_always"}),
        (2, {"test_case[2]", "test_one", "test_always"}),
        (3, {"test_case[0]", "test_case[3]", "test_two", "test_always"}),
    ],
)
def test_whose_turn_it_is(turn: int, expected: set[str], pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers = turns(n): takes turns\n")
    items = pytester.inline_run(
        "-p", "turns", "--turn", str(turn), pytester.makepyfile(FILE)
    ).getcalls("pytest_runtest_logreport")

    assert {one.report.nodeid.split("::")[1] for one in items} == expected
