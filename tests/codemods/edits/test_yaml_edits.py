"""Configs edited by span: the change is made, every other byte stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.analysis.config import Config, Entry
from pedl2det.analysis.text_rules import Delete, Edit, Insert, Put
from pedl2det.edits.yaml_edits import NotEdited, edited

ODD = """\
# A comment.
searcher:   {name: single,   max_steps: 3 }   # and another
hyperparameters:
    batch_size:    32   # records
    'quoted': "1e-4"


labels: [a,
  b]
"""


def edit(text: str, *edits: Callable[[Config], Edit]) -> str:
    config = Config.of(text)
    return edited(config, [make(config) for make in edits])


def entry(config: Config, path: tuple[str, ...]) -> Entry:
    found = config.entry(*path)
    assert found is not None
    return found


def rename(path: tuple[str, ...], name: str) -> Callable[[Config], Edit]:
    return lambda config: Put("C1", entry(config, path), name)


def put(path: tuple[str, ...], value: str, name: str | None = None) -> Callable[[Config], Edit]:
    return lambda config: Put("C1", entry(config, path), name, value)


def nest(path: tuple[str, ...], name: str, unit: str, value: str) -> Callable[[Config], Edit]:
    return lambda config: Put("C1", entry(config, path), name, value, unit)


def insert(path: tuple[str, ...], value: str) -> Callable[[Config], Edit]:
    return lambda config: Insert("C1", path, value)


def delete(path: tuple[str, ...], *comments: str) -> Callable[[Config], Edit]:
    return lambda config: Delete("C1", entry(config, path), comments)


def test_a_renamed_key_leaves_every_other_byte() -> None:
    result = edit(ODD, rename(("hyperparameters", "batch_size"), "global_batch_size"))

    assert result == ODD.replace("batch_size:", "global_batch_size:")


def test_a_nested_key_takes_the_style_and_the_indentation_of_its_file() -> None:
    result = edit(
        ODD,
        nest(("searcher", "max_steps"), "max_length", "batches", "300"),
        nest(("hyperparameters", "batch_size"), "size", "batches", "1"),
    )

    assert result == ODD.replace("max_steps: 3", "max_length: {batches: 300}").replace(
        "batch_size:    32", "size:\n        batches:    1"
    )


def test_quotes_are_kept() -> None:
    result = edit("'a': \"x\"\nb: 'y'\n", rename(("a",), "c"), put(("a",), "z"), put(("b",), "w"))

    assert result == "'c': \"z\"\nb: 'w'\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1", "a: 1\ne: m:T\nr: 5\n"),
        ("a: 1\n# end\n", "a: 1\n# end\ne: m:T\nr: 5\n"),
        ("a: 1\r\n", "a: 1\r\ne: m:T\r\nr: 5\r\n"),
        ("{a: 1}\n", "{a: 1, e: m:T, r: 5}\n"),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1, "e": "m:T", "r": 5\n}\n'),
    ],
)
def test_keys_are_added_to_a_document_in_their_order(text: str, expected: str) -> None:
    assert edit(text, insert(("e",), "m:T"), insert(("r",), "5")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("h:\n    a: 1  # one\n\n# z\nz: 1\n", "h:\n    a: 1  # one\n    b: 2\n\n# z\nz: 1\n"),
        ("h:\n  a:\n    c: 1\nz: 1\n", "h:\n  a:\n    c: 1\n  b: 2\nz: 1\n"),
        ("z: 1\r\nh:\r\n  a: 1", "z: 1\r\nh:\r\n  a: 1\r\n  b: 2\r\n"),
        ("h: {}\n", "h: {b: 2}\n"),
        ("h: { a: 1 }\n", "h: { a: 1, b: 2 }\n"),
        ("h:\n  a: {c: 1,\n    d: 2}\nz: 1\n", "h:\n  a: {c: 1,\n    d: 2}\n  b: 2\nz: 1\n"),
        ("h:\n  a: |\n    text\nz: 1\n", "h:\n  a: |\n    text\n  b: 2\nz: 1\n"),
        ("h:\n  a:\nz: 1\n", "h:\n  a:\n  b: 2\nz: 1\n"),
        ("h: {a: 1,}\n", "h: {a: 1, b: 2}\n"),
        ('{"h": {"a": 1}}\n', '{"h": {"a": 1, "b": 2}}\n'),
    ],
)
def test_a_key_is_added_to_a_mapping_in_its_style(text: str, expected: str) -> None:
    assert edit(text, insert(("h", "b"), "2")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e:\n  s: t.py\n\n# next\nh: 1\n", "n: t:T\n\n# next\nh: 1\n"),
        ("e: {s: t.py}  # one\nh: 1\n", "n: t:T  # one\nh: 1\n"),
        ("h: 1\r\ne:\r\n    s: t.py", "h: 1\r\nn: t:T"),
        ("{e: {s: t.py}, h: 1}\n", "{n: t:T, h: 1}\n"),
        ("e:  # of old\n  s: t.py  # one\nh: 1\n", "n: t:T  # of old  # one\nh: 1\n"),
        ("e: {s: 'a#b'}\nh: 1\n", "n: t:T\nh: 1\n"),
    ],
)
def test_a_mapping_becomes_a_scalar_and_keeps_its_comments(text: str, expected: str) -> None:
    assert edit(text, put(("e",), "t:T", "n")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2  # two\nc: 3\n", "a: 1\nc: 3\n"),
        ("a: 1\n# above\nb:\n  - x\n  - y\n# below\nc: 3\n", "a: 1\n# above\n# below\nc: 3\n"),
        ("a: 1\nb:\nc: 3\n", "a: 1\nc: 3\n"),
        ("a: 1\nb: |\n  x\n", "a: 1\n"),
        ("a: 1\r\nb: 2", "a: 1\r\n"),
        ("{a: 1, b: 2, c: 3}\n", "{a: 1, c: 3}\n"),
        ("{b: {x: 1}, a: 1}\n", "{a: 1}\n"),
        ("{a: 1, b: 2 }\n", "{a: 1 }\n"),
        ("{b: 2}\n", "{}\n"),
    ],
)
def test_a_key_is_removed_with_its_lines(text: str, expected: str) -> None:
    assert edit(text, delete(("b",))) == expected


def test_consecutive_keys_are_removed_from_braces() -> None:
    gone = [delete(("a", name)) for name in ("x", "y", "w")]

    assert edit("a: {x: 1, y: 2, z: 3, w: 4}\n", *gone) == "a: {z: 3}\n"


def test_what_is_removed_is_not_changed() -> None:
    changes = [put(("e", "a"), "2"), delete(("e",)), delete(("e", "a")), delete(("e",))]

    assert edit("e: {a: 1}\nc: 3\n", *changes) == "c: 3\n"


def test_a_removed_key_leaves_a_comment_in_its_place() -> None:
    result = edit("e:\n  a: 1\n  b: [x]\nc: 3\n", delete(("e", "b"), "see hook"))

    assert result == "e:\n  a: 1\n  # see hook\nc: 3\n"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("{a: 1 # one\n}\n", insert(("e",), "m:T")),
        ("? a\n: 1\n", delete(("a",))),
        ("h:\nz: 1\n", insert(("h", "b"), "2")),
        ("a: 1\n... # end\n", insert(("e",), "m:T")),
        ("a:\n", put(("a",), "1")),
    ],
)
def test_a_change_that_no_edit_makes_is_refused(
    text: str, change: Callable[[Config], Edit]
) -> None:
    with pytest.raises(NotEdited):
        edit(text, change)


keys = st.text("abcdefgh_", min_size=1, max_size=6)
values = st.integers() | st.text("xyz ", max_size=8) | st.lists(st.integers(), max_size=3)
mappings = st.dictionaries(keys, values, min_size=2)
styles = st.sampled_from([True, False, None])


@given(mappings, st.data(), styles)
def test_renaming_any_key_of_any_mapping(
    mapping: dict[str, Any], data: st.DataObject, flow: bool | None
) -> None:
    text = yaml.safe_dump({"root": mapping}, default_flow_style=flow, sort_keys=False)
    name = data.draw(st.sampled_from(sorted(mapping)))
    node = Config.of(text).entry("root", name)
    assert node is not None

    result = edit(text, rename(("root", name), "RENAMED"))

    renamed = {"RENAMED" if key == name else key: value for key, value in mapping.items()}
    assert yaml.safe_load(result) == {"root": renamed}
    start, end = node.key.start_mark.index, node.key.end_mark.index
    assert result == text[:start] + "RENAMED" + text[end:]


@given(mappings, st.data(), styles)
def test_removing_and_adding_keys_of_any_mapping(
    mapping: dict[str, Any], data: st.DataObject, flow: bool | None
) -> None:
    text = yaml.safe_dump({"root": mapping, "end": 1}, default_flow_style=flow, sort_keys=False)
    names = data.draw(st.sets(st.sampled_from(sorted(mapping)), max_size=len(mapping) - 1))

    gone = [delete(("root", name)) for name in names]
    result = edit(text, *gone, insert(("root", "NEW"), "5"))

    kept = {key: value for key, value in mapping.items() if key not in names}
    assert yaml.safe_load(result) == {"root": kept | {"NEW": 5}, "end": 1}
