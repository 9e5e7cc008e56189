"""A change behind an alias or a merge, which would reach other uses of the anchor, is refused."""

from __future__ import annotations

import pytest

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.text_rules import Edit, Insert, Put
from pedl2det.edits.yaml_edits import NotEdited, edited


def put(config: Config, path: KeyPath, *names: str | None) -> Edit:
    entry = config.entry(*path)
    assert entry is not None
    return Put("C1", entry, *names)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "path", "names"),
    [
        ("a: &p 5\nb: *p\n", ("b",), ("b", "500", "batches")),
        ("a: &p 5\nb: *p\n", ("a",), ("a", "500", "batches")),
        ("d: &d\n  x: 1\nh:\n  <<: *d\n  z: 3\n", ("h", "x"), ("w",)),
        ("d: &d {x: 1}\nh: {<<: *d, x: 3}\n", ("h", "x"), ("w",)),  # the other would appear
        ("a: &rate 1e-4\nb: *rate\n", ("b",), (None, "2")),
    ],
)
def test_a_change_of_a_shared_place_is_refused(
    text: str, path: KeyPath, names: tuple[str | None, ...]
) -> None:
    config = Config.of(text)

    with pytest.raises(NotEdited):
        edited(config, [put(config, path, *names)])


def test_a_key_is_not_added_to_a_shared_mapping() -> None:
    with pytest.raises(NotEdited):
        edited(Config.of("d: &d\n  x: 1\nh: *d\n"), [Insert("C1", ("h", "z"), "4")])


def test_keys_beside_a_merge_are_changed() -> None:
    text = "d: &d {x: 1}\nh: {<<: *d, y: 3}\n"
    config = Config.of(text)

    assert edited(config, [put(config, ("h", "y"), None, "4")]) == text.replace("3", "4")
    assert edited(config, [Insert("C1", ("h", "z"), "4")]) == text.replace("3}", "3, z: 4}")


def test_a_scalar_that_changes_in_the_same_way_everywhere_keeps_its_aliases() -> None:
    text = "a: &rate 1e-4\nb: *rate\nc: [*rate]\n"
    config = Config.of(text)
    edits = [put(config, path, None, "1.0e-4") for path in (("a",), ("b",), ("c", "0"))]

    assert edited(config, edits) == text.replace("1e-4", "1.0e-4")
