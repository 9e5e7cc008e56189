"""A search: its points, seeds, brackets, rungs and record; by hand, and as properties."""

from __future__ import annotations

import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det_runtime.config.experiment_config import ExperimentConfig
from pedl2det_runtime.config.hparams import sample_hparams
from pedl2det_runtime.config.reader import config_from
from pedl2det_runtime.errors import ConfigError
from pedl2det_runtime.search.halving import Halving, brackets_of, most_rungs, shared_trials
from pedl2det_runtime.search.plan import plan_of
from pedl2det_runtime.search.search import ranked
from pedl2det_runtime.search.study import Result, Study, sqlite


def config(searcher: dict[str, Any], hparams: dict[str, Any], **more: Any) -> ExperimentConfig:
    searcher = {"metric": "val_loss", "max_length": {"batches": 6400}, **searcher}
    hparams = {"global_batch_size": 8, **hparams}
    return config_from({"searcher": searcher, "hyperparameters": hparams, **more})


RANGES = {
    "rate": {"type": "log", "minval": -4, "maxval": -1, "base": 10},
    "units": {"type": "int", "minval": 4, "maxval": 64},
    "group": {"dropout": {"type": "double", "minval": 0.0, "maxval": 0.5}},
    "kind": {"type": "categorical", "vals": ["a", "b"]},
}


def test_a_grid_has_exactly_its_points() -> None:
    plan = plan_of(
        config(
            {"name": "grid"},
            {
                "rate": {"type": "log", "minval": -2, "maxval": -1, "base": 10, "count": 2},
                "group": {"drop": {"type": "double", "minval": 0.0, "maxval": 0.5, "count": 3}},
                "kind": {"type": "categorical", "vals": [True, None]},
                "fixed": {"type": "const", "val": 7},
            },
        )
    )

    found = [
        (one.hparams["rate"], one.hparams["group"]["drop"], one.hparams["kind"])
        for one in plan.points
    ]
    assert found == [*product((0.01, 0.1), (0.0, 0.25, 0.5), (True, None))]
    assert {one.hparams["fixed"] for one in plan.points} == {7}
    assert {one.rungs for one in plan.points} == {(6400,)}


def test_points_depend_on_the_seed_and_their_number_alone() -> None:
    few = plan_of(config({"name": "random", "max_trials": 3}, RANGES)).points
    many = plan_of(config({"name": "random", "max_trials": 50}, RANGES)).points
    others = plan_of(
        config({"name": "random", "max_trials": 3}, RANGES, reproducibility={"experiment_seed": 1})
    ).points

    assert many[:3] == few
    assert len({one.hparams["rate"] for one in many}) == 50
    assert len({one.seed for one in many}) == 50
    assert not {one.seed for one in others} & {one.seed for one in few}
    assert all(4 <= one.hparams["units"] <= 64 for one in many)
    assert all(0.0 <= one.hparams["group"]["dropout"] <= 0.5 for one in many)


def test_the_first_point_is_the_one_that_run_trains() -> None:
    one = config({"name": "random", "max_trials": 2}, RANGES)

    assert plan_of(one).points[0].hparams == sample_hparams(one)


def test_an_old_search_excludes_the_upper_bound() -> None:
    old = config(
        {"name": "random", "max_trials": 60, "max_steps": 2, "max_length": None},
        {"batch_size": 4, "units": {"type": "int", "minval": 1, "maxval": 3}},
    )

    assert {one.hparams["units"] for one in plan_of(old).points} == {1, 2}
    assert {one.rungs for one in plan_of(old).points} == {(200,)}


@pytest.mark.parametrize(
    ("mode", "brackets"),
    [("aggressive", (5,)), ("standard", (5, 4, 3)), ("conservative", (5, 4, 3, 2, 1))],
)
def test_a_mode_says_how_many_brackets_there_are(mode: Any, brackets: tuple[int, ...]) -> None:
    assert brackets_of(mode, 5) == brackets


def test_a_search_of_100_trials_by_hand() -> None:
    """Weights 4^4/5, 4^3/4, 4^2/3; 70, 22 and 7 trials, and the one that is left."""
    plan = plan_of(config({"name": "adaptive_asha", "max_trials": 100}, RANGES))
    assert most_rungs(5, 4, 6400, 100) == 4  # 4^3 <= 100 < 4^4

    assert shared_trials((5, 4, 3), 4, 100) == (71, 22, 7)
    assert Halving(4, (5,), (9,)).lengths(0, 6400) == [25, 100, 400, 1600, 6400]
    assert plan.halving is not None
    assert plan.halving.rungs == (4, 3, 2)
    assert {one.rungs for one in plan.points} == {
        (100, 400, 1600, 6400),
        (400, 1600, 6400),
        (1600, 6400),
    }


@pytest.mark.parametrize(
    ("searcher", "rungs", "trials"),
    [
        ({"name": "adaptive_simple", "max_trials": 4, "mode": "aggressive"}, (2,), (4,)),
        ({"name": "adaptive_asha", "max_trials": 8, "bracket_rungs": [1, 3]}, (3, 1), (7, 1)),
        ({"name": "async_halving", "max_trials": 8, "num_rungs": 3, "divisor": 2}, (3,), (8,)),
        ({"name": "adaptive_asha", "max_trials": 1}, (1,), (1,)),
    ],
)
def test_brackets_of_other_searchers_by_hand(
    searcher: dict[str, Any], rungs: tuple[int, ...], trials: tuple[int, ...]
) -> None:
    halving = plan_of(config(searcher, RANGES)).halving

    assert halving is not None
    assert (halving.rungs, halving.trials) == (rungs, trials)


def test_an_adaptive_search_of_old_has_trials_for_its_budget() -> None:
    old = config(
        {"name": "adaptive", "target_trial_steps": 64, "step_budget": 640, "max_length": None},
        {"batch_size": 4},
    )

    assert len(plan_of(old).points) == 10


def test_one_in_four_goes_on() -> None:
    rule = Halving(4, (2,), (20,))

    def goes_on(value: float, *others: float) -> bool:
        return rule.goes_on(value, others, smaller_is_better=True)

    assert goes_on(9.0)  # the first always does
    assert not goes_on(9.0, 8.0)
    assert goes_on(7.0, 8.0, 9.0)
    assert goes_on(2.0, *(1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0))  # the second of 8
    assert not goes_on(3.5, *(1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0))
    assert not goes_on(math.nan)
    assert goes_on(1.0, math.nan, math.nan)
    assert rule.goes_on(9.0, (8.0, 7.0), smaller_is_better=False)


@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=6, unique=True),
    st.integers(2, 8),
    st.integers(0, 500),
    st.integers(1, 100_000),
)
def test_every_trial_has_one_bracket_and_growing_rungs(
    rungs: list[int], divisor: int, more: int, batches: int
) -> None:
    rungs = sorted(rungs, reverse=True)
    count = len(rungs) + more
    halving = Halving(divisor, tuple(rungs), shared_trials(rungs, divisor, count))

    dealt = [halving.bracket(number) for number in range(count)]

    assert sum(halving.trials) == count
    assert [dealt.count(bracket) for bracket in range(len(rungs))] == list(halving.trials)
    for bracket in range(len(rungs)):
        lengths = halving.lengths(bracket, batches)
        assert lengths[-1] == batches
        assert lengths == sorted(lengths)
        assert lengths[0] >= 1


@pytest.mark.parametrize(
    ("searcher", "said"),
    [
        ({"name": "single"}, "searcher.name: single has one trial: train it with run"),
        ({"name": "pbt", "max_steps": 1}, "searcher.name: pbt is not served: search with random"),
        ({"name": "random"}, "searcher.max_trials: searcher random needs max_trials"),
        (
            {"name": "adaptive_asha", "max_trials": 2, "mode": "fast"},
            "searcher.mode: expected one of aggressive, standard, conservative, got 'fast'",
        ),
        (
            {"name": "adaptive_asha", "max_trials": 2, "divisor": 1},
            "searcher.divisor: expected a number above 1, got 1",
        ),
        (
            {"name": "random", "max_trials": 0},
            "searcher.max_trials: expected a whole number of at least 1, got 0",
        ),
    ],
)
def test_a_search_that_cannot_be_is_one_line(searcher: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        plan_of(config(searcher, RANGES))

    assert str(error.value).endswith(said)


def test_what_was_decided_at_a_rung_holds_when_a_search_goes_on(tmp_path: Path) -> None:
    searcher = {"name": "async_halving", "max_trials": 3, "num_rungs": 2, "divisor": 2}
    plan = plan_of(config(searcher, RANGES))
    first, second = plan.points[:2]
    rungs = list(first.rungs)

    def study() -> Study:
        return Study(sqlite(tmp_path), "halving", plan, "here", smaller_is_better=True)

    killed = study()
    assert killed.take(set()) == first
    assert killed.report(first, rungs[0], 0.5)
    assert killed.take({0}) == second
    assert killed.report(second, rungs[0], 0.1)  # now the first would not go on

    resumed = study()
    assert resumed.take(set()) == first
    assert resumed.rungs_left(first) == rungs[1:]
    assert resumed.rungs_left(plan.points[2]) == rungs


def test_what_is_no_number_is_not_the_best() -> None:
    results = [Result(n, {}, "finished", {}, best=best) for n, best in enumerate([math.nan, 2, 1])]

    best, most = (ranked(results, smaller_is_better=smaller) for smaller in (True, False))

    assert [result.number for result in best] == [2, 1, 0]
    assert [result.number for result in most] == [1, 2, 0]
