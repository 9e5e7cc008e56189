"""What a trial is trained by."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.verify.trainings import Training, trainings


def of_search(directory: Path, values: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    """The values of each training by a config that searches, its own draw first."""
    config = {
        "hyperparameters": {"global_batch_size": 4} | values,
        "searcher": {"name": "random", "metric": "val_loss", "max_length": {"batches": 2}},
        **fields,
    }
    path = directory / "search.yaml"
    path.write_text(json.dumps(config))
    every, _ = trainings([path])
    assert every[0] == Training(path)
    pairs = [[override.split("=", 1) for override in training.overrides] for training in every[1:]]
    prefix = len("hyperparameters.")
    return [{name[prefix:]: json.loads(value) for name, value in row} for row in pairs]


def categorical(*values: Any) -> dict[str, Any]:
    return {"type": "categorical", "vals": [*values]}


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_each_two_values_of_a_search_are_trained_together(
    sizes: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    columns = {f"h{number}": [*range(size)] for number, size in enumerate(sizes)}
    values = {name: categorical(*column) for name, column in columns.items()}

    rows = of_search(tmp_path_factory.mktemp("search"), values)

    for first, second in itertools.combinations(columns, 2):
        together = {(row[first], row[second]) for row in rows}
        missing = {*itertools.product(columns[first], columns[second])} - together
        assert len(missing) <= 1  # which the config draws by itself
    assert len(rows) <= 2 * max(sizes) ** 2


def test_all_points_of_a_small_search_are_trained(tmp_path: Path) -> None:
    rows = of_search(tmp_path, {name: categorical(0, 1) for name in "abc"})

    assert len({tuple(row.values()) for row in rows}) == 7  # and one that the config draws


@pytest.mark.parametrize(
    ("values", "is_open"),
    [
        ({"a": categorical(0, 1), "b": {"type": "int", "minval": 1, "maxval": 3}}, False),
        ({"a": categorical(*"abcd"), "b": categorical(0, 1), "c": categorical(0, 1)}, True),
        ({"a": categorical([8, 8], [4])}, False),
        ({"a": {"type": "int", "minval": 1, "maxval": 13}}, False),
        ({"a": {"type": "int", "minval": 1, "maxval": 15}}, True),
        ({name: {"type": "int", "minval": 1, "maxval": 6} for name in "ab"}, True),
        ({"a": {"type": "log", "minval": -3, "maxval": -1}}, True),
        ({"a": 3}, False),
    ],
)
def test_a_config_that_can_draw_other_values_than_are_trained_is_named(
    values: dict[str, Any], is_open: bool, tmp_path: Path
) -> None:
    of_search(tmp_path, values)

    assert trainings([tmp_path / "search.yaml"])[1] == ["search.yaml"] * is_open


def test_all_values_of_a_single_hyperparameter_are_trained(tmp_path: Path) -> None:
    rows = of_search(tmp_path, {"a": categorical(*range(20))})

    assert len(rows) == 19


@pytest.mark.parametrize(
    ("values", "tried"),
    [
        ({"type": "int", "minval": 1, "maxval": 4}, {1, 2, 3, 4}),
        ({"type": "int", "minval": 2, "maxval": 9}, {2, 3, 4, 5, 6, 7, 8, 9}),
        ({"type": "int", "minval": 1, "maxval": 103}, {1, 103, *range(2, 103, 10)}),
        ({"type": "double", "minval": 0, "maxval": 0.5}, {0, 0.125, 0.25, 0.375, 0.5}),
        ({"type": "log", "minval": -4, "maxval": 0}, {0.001, 0.01, 0.1}),
        ({"type": "const", "val": 1}, set()),
    ],
)
def test_ranges_are_tried_whole_and_of_long_ones_thirteen_values(
    values: dict[str, Any], tried: set[float], tmp_path: Path
) -> None:
    rows = of_search(tmp_path, {"x": values})

    drawn = tried - {row["x"] for row in rows}
    assert {row["x"] for row in rows} <= tried and len(drawn) <= 1


def test_the_upper_bound_of_an_old_search_is_not_drawn(tmp_path: Path) -> None:
    searcher = {"name": "random", "metric": "val_loss", "max_steps": 2}
    rows = of_search(tmp_path, {"x": {"type": "int", "minval": 2, "maxval": 9}}, searcher=searcher)

    assert {row["x"] for row in rows} <= {2, 3, 4, 5, 6, 7, 8}


def test_inner_values_of_long_ranges_are_trained_together_their_middles_first(
    tmp_path: Path,
) -> None:
    long = {"x": {"type": "int", "minval": 1, "maxval": 7}, "y": {"type": "log", "minval": -4}}
    long["y"]["maxval"] = 0
    rows = of_search(tmp_path, {**long, "kind": categorical("a", "b")})

    assert rows[0] == {"x": 4, "y": 0.01, "kind": "a"}
    assert all(row["x"] in (1, 7) and "y" not in row for row in rows[1:-4])
    others = [(2, 0.001, "b"), (3, 0.1, "a"), (5, 0.01, "b"), (6, 0.001, "a")]
    assert [tuple(row.values()) for row in rows[-4:]] == others
