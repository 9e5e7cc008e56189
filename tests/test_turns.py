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


@pytest.mark.turns(2, "kills")
@pytest.mark.parametrize("number", range(2))
def test_kill(number):
    pass


@pytest.mark.turns(2, "kills")
def test_other_kill():
    pass


@pytest.mark.versions
@pytest.mark.parametrize("number", range(9))
def test_version(number):
    pass


def test_always():
    pass
"""


VERSIONS = {f"test_version[{number}]" for number in range(9)}
KILLS = {"test_kill[0]", "test_other_kill"}


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (0, {"test_case[0]", "test_case[3]", "test_one", *KILLS, "test_always"}),
        (1, {"test_case[1]", "test_two", "test_kill[1]", "test_always"}),
        (2, {"test_case[2]", "test_one", *KILLS, "test_always"}),
        (3, {"test_case[0]", "test_case[3]", "test_two", "test_kill[1]", "test_always"}),
    ],
)
def test_whose_turn_it_is(turn: int, expected: set[str], pytester: pytest.Pytester) -> None:
    assert run(pytester, "--turn", turn) - VERSIONS == expected


def test_of_three_turns_each_has_a_third_of_versions(pytester: pytest.Pytester) -> None:
    turns = [run(pytester, "--every", 3, "--turn", turn) for turn in (6, 7, 8)]
    thirds = [{test for test in turn if test.startswith("test_version")} for turn in turns]
    assert sorted(test for third in thirds for test in third) == [
        f"test_version[{number}]" for number in range(9)
    ]
    assert all(thirds)
    assert all("test_always" in turn for turn in turns)


def run(pytester: pytest.Pytester, *arguments: object) -> set[str]:
    """The tests of the file that run."""
    pytester.makeini("[pytest]\nmarkers =\n  turns(n): takes turns\n  versions: of versions\n")
    file = pytester.makepyfile(FILE)
    done = pytester.inline_run("-p", "turns", *map(str, arguments), file)
    reports = done.getcalls("pytest_runtest_logreport")
    return {one.report.nodeid.split("::")[1] for one in reports}
