"""Configs edited by span: the edit is made, every other byte is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pedl2det.findings import Unreadable
from pedl2det.yaml_edit import Config, ConfigEdits

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
    edit = edits("a: 1\n...\n")
    edit.append("C", "entrypoint", "m:T")

    assert edit.result() is None


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
