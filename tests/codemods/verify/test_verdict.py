"""A verdict says how far old and new are equal, and decides the exit code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pedl2det.verify.compare import Comparison, Difference
from pedl2det.verify.training import TrainingLength
from pedl2det.verify.verdict import Conclusion, describe_different, describe_equal


def equal(trained: int, batches: int | None, total: int | None, *known: str) -> str:
    comparison = Comparison(batches=trained)
    return describe_equal(comparison, TrainingLength(batches, total), known)


def test_equal_says_for_how_many_batches() -> None:
    assert equal(300, 300, 1200) == "equal for 300 of 1,200 batches"
    assert equal(40, 40, 40) == "equal for all 40 batches"
    assert equal(208, 1000, 1000) == "equal for all 208 batches, after which both stopped"
    assert equal(7, 7, None) == "equal for 7 batches"


def test_equal_names_the_known_differences() -> None:
    places = ["model_def.py:65", "model_def.py:70", "data.py:3", "data.py:9", "data.py:12"]

    assert equal(300, 300, 1200, *places[:1]) == (
        "equal for 300 of 1,200 batches; 1 known difference did not show so far: model_def.py:65"
    )
    assert equal(300, 300, 1200, *places) == (
        "equal for 300 of 1,200 batches; 5 known differences did not show so far: "
        "model_def.py:65, model_def.py:70, data.py:3 and 2 more"
    )
    assert equal(40, 40, 40, *places[:2]) == (
        "equal for all 40 batches; 2 known differences did not show: "
        "model_def.py:65, model_def.py:70"
    )


def test_equal_names_what_differs_in_the_configs() -> None:
    length = TrainingLength(40, 40)
    found = describe_equal(Comparison(batches=40), length, settings=["searcher.metric"])

    assert found == "equal for all 40 batches; the configs differ in searcher.metric"


def test_different_says_from_where_on() -> None:
    numbers = Comparison(differences=(Difference("loss", 1301, gap=0.142),))
    names = Comparison(differences=(Difference("length", 41, is_structural=True),))
    weights = Comparison(differences=(Difference("weight w", gap=0.5),))

    assert describe_different(Comparison()) == "different: there is nothing to compare"
    assert describe_different(numbers) == (
        "different from batch 1,301 on: the largest difference is 0.142"
    )
    assert describe_different(names) == (
        "different from batch 41 on: names, shapes or counts differ"
    )
    assert describe_different(weights) == (
        "different at the end only: the largest difference is 0.5"
    )


def test_a_difference_in_length_alone_is_told_as_such() -> None:
    text = "the old config trains 40 batches, the new one 80"
    length = Difference(text, 41, is_structural=True, is_length=True)
    comparison = Comparison(batches=40, differences=(length,))

    assert describe_different(comparison) == f"different: {text}"
    both = replace(comparison, differences=(Difference("loss", 7, gap=0.5), length))
    assert describe_different(both) == "different from batch 7 on: the largest difference is 0.5"


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
