"""A change behind an alias or a merge, which would reach other uses of the anchor, is refused."""

from __future__ import annotations

import pytest

from pedl2det.analysis.config import Config
from pedl2det.analysis.experiment.changes import Change, Insert, Nest, Rename, Replace
from pedl2det.edits.yaml_edits import NotEdited, edited


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("a: &p 5\nb: *p\n", Nest(("b",), "b", "batches", "500")),
        ("a: &p 5\nb: *p\n", Nest(("a",), "a", "batches", "500")),
        ("d: &d\n  x: 1\nh:\n  <<: *d\n  z: 3\n", Rename(("h", "x"), "w")),
        ("d: &d {x: 1}\nh: {<<: *d, x: 3}\n", Rename(("h", "x"), "w")),  # the other would appear
        ("d: &d\n  x: 1\nh: *d\n", Insert(("h",), "z", "4")),
        ("a: &rate 1e-4\nb: *rate\n", Replace(("b",), "2")),
    ],
)
def test_a_change_of_a_shared_place_is_refused(text: str, change: Change) -> None:
    with pytest.raises(NotEdited, match="would mean something else"):
        edited(Config.of(text), [change])


def test_keys_beside_a_merge_are_changed() -> None:
    text = "d: &d {x: 1}\nh: {<<: *d, y: 3}\n"

    assert edited(Config.of(text), [Replace(("h", "y"), "4")]) == text.replace("3", "4")
    assert edited(Config.of(text), [Insert(("h",), "z", "4")]) == text.replace("3}", "3, z: 4}")


def test_a_scalar_that_changes_in_the_same_way_everywhere_keeps_its_aliases() -> None:
    text = "a: &rate 1e-4\nb: *rate\nc: [*rate]\n"
    changes = [Replace(path, "1.0e-4") for path in (("a",), ("b",), ("c", "0"))]

    assert edited(Config.of(text), changes) == text.replace("1e-4", "1.0e-4")
