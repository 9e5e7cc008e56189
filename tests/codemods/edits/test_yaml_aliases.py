"""A change behind an alias or a merge reaches no other use of the anchor."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Change, Insert, Nest, Rename, Replace
from pedl2det.edits.yaml_edits import edited


@pytest.mark.parametrize(
    ("text", "change", "expected"),
    [
        (
            "a: &p 5  # five\nb: *p\n",
            Nest(("b",), "b", "batches", "500"),
            "a: 5  # five\nb:\n  batches: 500\n",
        ),
        (
            "a: &p 5\nb: *p\n",
            Nest(("a",), "a", "batches", "500"),
            "a:\n  batches: 500\nb: 5\n",
        ),
        (
            "d: &d\n  x: 1\n  y: [1, 2]\nh:\n  <<: *d\n  z: 3\n",
            Rename(("h", "x"), "w"),
            "d:\n  x: 1\n  y: [1, 2]\nh:\n  z: 3\n  w: 1\n  y: [1, 2]\n",
        ),
        (
            "d: &d {x: 1, y: 2}\nh: {<<: *d, y: 3}\n",
            Insert(("h",), "z", "4"),
            "d: &d {x: 1, y: 2}\nh: {<<: *d, y: 3, z: 4}\n",
        ),
        (
            "d: &d {x: 1}\nh: {<<: *d, y: 3}\n",
            Replace(("h", "y"), "4"),
            "d: &d {x: 1}\nh: {<<: *d, y: 4}\n",
        ),
        (
            "d: &d\n  x: 1\nh: *d\n",
            Insert(("h",), "z", "4"),
            "d:\n  x: 1\nh: {x: 1, z: 4}\n",
        ),
    ],
)
def test_the_changed_place_gets_a_copy(text: str, change: Change, expected: str) -> None:
    result = edited(Config.of(text), [change])

    assert yaml.safe_load(result) == yaml.safe_load(expected)
    assert result == expected or "<<" in text  # keys of a merge stand where the merge stood


def test_merged_keys_stand_where_the_merge_stood() -> None:
    text = "d: &d\n  x: 1\n  y: 2\nh:\n  <<: *d  # defaults\n  y: 3\n"

    result = edited(Config.of(text), [Rename(("h", "x"), "w")])

    assert result == "d:\n  x: 1\n  y: 2\nh:\n  w: 1  # defaults\n  y: 3\n"


def test_a_scalar_that_changes_in_the_same_way_everywhere_keeps_its_aliases() -> None:
    text = "a: &rate 1e-4\nb: *rate\nc: [*rate]\n"
    changes = [Replace(path, "1.0e-4") for path in (("a",), ("b",), ("c", "0"))]

    assert edited(Config.of(text), changes) == text.replace("1e-4", "1.0e-4")


def test_a_scalar_that_changes_in_one_place_loses_them() -> None:
    result = edited(Config.of("a: &rate 1e-4\nb: *rate\n"), [Replace(("b",), "2")])

    assert result == "a: 1e-4\nb: 2\n"


def test_anchors_within_anchors() -> None:
    text = "a: &a {x: &x 1, y: 2}\nb: &b {<<: *a, z: *x}\nc: *b\n"

    result = edited(Config.of(text), [Replace(("c", "x"), "9")])

    assert yaml.safe_load(result) == {
        "a": {"x": 1, "y": 2},
        "b": {"x": 1, "y": 2, "z": 1},
        "c": {"x": 9, "y": 2, "z": 1},
    }


keys = st.sampled_from("abcd")
leaves = st.integers(0, 9) | st.lists(st.integers(0, 9), max_size=2)
shared = st.dictionaries(keys, leaves, min_size=1, max_size=3)


@given(shared, st.dictionaries(keys, leaves, max_size=2), st.data(), st.booleans())
def test_any_key_behind_a_merge_is_renamed_alone(
    base: dict[str, Any], own: dict[str, Any], data: st.DataObject, flow: bool
) -> None:
    lines = yaml.safe_dump({"base": base}, default_flow_style=False, sort_keys=False)
    text = lines.replace("base:", "base: &base", 1)
    pairs = [f"{key}: {value}" for key, value in own.items()]
    if flow:
        text += f"use: {{{', '.join(['<<: *base', *pairs])}}}\n"
    else:
        text += "use:\n" + "".join(f"  {pair}\n" for pair in ["<<: *base", *pairs])
    text += "other: *base\n"
    merged = base | own
    name = data.draw(st.sampled_from(sorted(merged)))

    result = edited(Config.of(text), [Rename(("use", name), "RENAMED")])

    renamed = {"RENAMED" if key == name else key: value for key, value in merged.items()}
    assert yaml.safe_load(result) == {"base": base, "use": renamed, "other": base}
