"""Configs edited by span: the edit is made, every other byte is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.edit.config_edits import ConfigEdits
from pedl2det.facts.config import Config
from pedl2det.findings import Unreadable

ODD = """\
# A comment.
searcher:   {name: single,   max_steps: 3 }   # and another
hyperparameters:
    batch_size:    32   # records
    'quoted': "1e-4"


labels: [a,
  b]
"""


def edits(text: str) -> ConfigEdits:
    return ConfigEdits(Config.of(Path("const.yaml"), text))


def entry(edit: ConfigEdits, *path: str):
    found = edit.config.entry(*path)
    assert found is not None
    return found


def test_a_renamed_key_leaves_every_other_byte() -> None:
    edit = edits(ODD)
    edit.rename("C", entry(edit, "hyperparameters", "batch_size"), "global_batch_size")

    assert edit.result() == ODD.replace("batch_size:", "global_batch_size:")


def test_a_nested_key_takes_the_style_of_its_mapping() -> None:
    edit = edits(ODD)
    edit.nest("C", entry(edit, "searcher", "max_steps"), "max_length", "batches", "300")
    edit.nest("C", entry(edit, "hyperparameters", "batch_size"), "size", "batches", "1")

    assert edit.result() == ODD.replace("max_steps: 3", "max_length: {batches: 300}").replace(
        "batch_size:    32", "size:\n      batches:    1"
    )


def test_an_appended_key_stands_on_a_line_of_its_own() -> None:
    for text in ("a: 1", "a: 1\n", "a: 1\n# end\n"):
        edit = edits(text)
        edit.append("C", "entrypoint", "m:T")
        result = edit.result()
        assert result is not None
        assert result.rstrip("\n").endswith("\nentrypoint: m:T")
        assert result.startswith(text)


def test_an_edit_that_would_mean_something_else_is_not_made() -> None:
    edit = edits("{a: 1 # one\n}\n")
    edit.append("C", "entrypoint", "m:T")

    assert edit.result() is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\n...\n", "a: 1\nentrypoint: m:T\n...\n"),
        ("a: 1\n... # end\n", "a: 1\nentrypoint: m:T\n... # end\n"),
        ("{a: 1}\n", "{a: 1, entrypoint: m:T}\n"),
        ('{\n  "a": 1\n}\n', '{\n  "a": 1, "entrypoint": "m:T"\n}\n'),
    ],
)
def test_a_key_is_added_to_a_document_as_it_is_written(text: str, expected: str) -> None:
    edit = edits(text)
    edit.append("C", "entrypoint", "m:T")

    assert edit.result() == expected


def test_a_renamed_key_keeps_its_quotes() -> None:
    edit = edits("'a': 1\n")
    edit.rename("C", entry(edit, "a"), "b")

    assert edit.result() == "'b': 1\n"


def test_a_file_of_several_documents_is_no_config() -> None:
    with pytest.raises(Unreadable):
        Config.of(Path("x.yaml"), "a: 1\n---\nb: 2\n")


keys = st.text("abcdefgh_", min_size=1, max_size=6)
values = st.integers() | st.text("xyz ", max_size=8) | st.lists(st.integers(), max_size=3)


@given(st.dictionaries(keys, values, min_size=1), st.data(), st.sampled_from([True, False, None]))
def test_renaming_any_key_of_any_mapping(
    mapping: dict[str, object], data: st.DataObject, flow: bool | None
) -> None:
    text = yaml.safe_dump({"root": mapping}, default_flow_style=flow, sort_keys=False)
    name = data.draw(st.sampled_from(sorted(mapping)))
    edit = edits(text)
    node = entry(edit, "root", name)
    edit.rename("C", node, "RENAMED")

    result = edit.result()

    renamed = {"RENAMED" if key == name else key: value for key, value in mapping.items()}
    assert result is not None
    assert yaml.safe_load(result) == {"root": renamed}
    start, end = node.key.start_mark.index, node.key.end_mark.index
    assert result == text[:start] + "RENAMED" + text[end:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("e:\n  s: t.py\n\n# next\nh: 1\n", "e: t:T\n\n# next\nh: 1\n"),
        ("e: {s: t.py}  # one\nh: 1\n", "e: t:T  # one\nh: 1\n"),
        ("h: 1\r\ne:\r\n    s: t.py", "h: 1\r\ne: t:T"),
        ("{e: {s: t.py}, h: 1}\n", "{e: t:T, h: 1}\n"),
    ],
)
def test_a_mapping_becomes_a_scalar(text: str, expected: str) -> None:
    edit = edits(text)
    edit.flatten("C", entry(edit, "e"), "t:T")

    assert edit.result() == expected


def test_a_comment_inside_a_mapping_that_becomes_a_scalar_is_not_lost() -> None:
    edit = edits("e:  # of old\n  s: t.py  # one\nh: 1\n")
    edit.flatten("C", entry(edit, "e"), "t:T")

    assert edit.result() == "e: t:T  # of old  # one\nh: 1\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "h:\n    a: 1  # one\n\n# next\nz: 1\n",
            "h:\n    a: 1  # one\n    b: 2\n\n# next\nz: 1\n",
        ),
        ("h:\n  a:\n    c: 1\nz: 1\n", "h:\n  a:\n    c: 1\n  b: 2\nz: 1\n"),
        ("z: 1\r\nh:\r\n  a: 1", "z: 1\r\nh:\r\n  a: 1\r\n  b: 2\r\n"),
        ("h: {}\n", "h: {b: 2}\n"),
        ("h: { a: 1 }\n", "h: { a: 1, b: 2 }\n"),
        ("h:\n  a: {c: 1,\n    d: 2}\nz: 1\n", "h:\n  a: {c: 1,\n    d: 2}\n  b: 2\nz: 1\n"),
        ("h:\n  a: |\n    text\nz: 1\n", "h:\n  a: |\n    text\n  b: 2\nz: 1\n"),
        ("h: {a: 1,}\n", "h: {a: 1, b: 2}\n"),
        ('{"h": {"a": 1}}\n', '{"h": {"a": 1, "b": 2}}\n'),
        ("h:\nz: 1\n", None),
    ],
)
def test_a_key_is_added_to_a_mapping_in_its_style(text: str, expected: str | None) -> None:
    edit = edits(text)
    edit.insert("C", entry(edit, "h"), "b", "2")

    assert edit.result() == expected


BLOCKS = """\
# A comment.
a: |
  x
  ü

b: >-
  y
# below
c:
  - 1
  -
  - d: &x 'ü'
    e: *x
f: {g: [1,
  2], "i": !t j}
k: l
  m # n
? o
: "p
  q"
"""


@pytest.mark.parametrize("text", [ODD, BLOCKS, BLOCKS.replace("\n", "\r\n"), "a: |\n  x", ""])
def test_what_is_asked_of_places_is_the_same_with_and_without_libyaml(text: str) -> None:
    assert places(yaml.compose(text, yaml.CSafeLoader)) == places(
        yaml.compose(text, yaml.SafeLoader)
    )


def places(node: yaml.Node | None) -> list[object]:
    """Where scalars and braces begin and end, and where blocks begin."""
    if node is None:
        return []
    is_block = isinstance(node, yaml.CollectionNode) and not node.flow_style
    end = None if is_block else node.end_mark.index
    found: list[object] = [(node.tag, node.start_mark.index, node.start_mark.line, end)]
    for child in node.value if isinstance(node, yaml.CollectionNode) else []:
        for one in child if isinstance(child, tuple) else (child,):
            found += places(one)
    return found
