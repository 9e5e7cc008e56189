"""Requirements in ``pyproject.toml``, edited by tomlkit, which keeps the layout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pedl2det.texts.required import CLUSTER, is_old_wheel, name_of, replacement

#: Tables, and which of their keys hold lists of requirements.
_LISTS = {
    ("project",): re.compile("dependencies"),
    ("project", "optional-dependencies"): re.compile(".*"),
    ("dependency-groups",): re.compile(".*"),
    ("build-system",): re.compile("requires"),
    ("tool", "poetry", "extras"): re.compile(".*"),
    ("tool", "uv"): re.compile("dev-dependencies"),
}


@dataclass(frozen=True)
class TomlEdit:
    """What becomes of a file.

    Attributes:
        text: the new text.
        required: every requirement of the file, replaced or not.
        is_refused: whether PEDL is required in a way that cannot be edited.
    """

    text: str
    required: tuple[str, ...] = ()
    is_refused: bool = False


def replace(text: str, new: str) -> TomlEdit:
    """Replace the requirements on PEDL in ``pyproject.toml``.

    Args:
        text: the file.
        new: what is required in their place.
    """
    import tomlkit  # most runs find no such file
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
    except TOMLKitError:
        return TomlEdit(text, is_refused=re.search(r"(?m)^[^#\n]*\bpedl\b", text) is not None)
    if tomlkit.dumps(document) != text:
        return TomlEdit(text, is_refused=True)
    required: list[str] = []
    for items in _lists(document):
        for index, item in enumerate(items):
            if not isinstance(item, str):
                continue  # {include-group = "..."}
            required.append(str(item))
            written = new if is_old_wheel(item) else replacement(item, new)
            if written is not None:
                items[index] = _like(item, written)
    for table in _poetry_tables(document):
        required += [name for name in table if name != "pedl"]
        if "pedl" in table and not _rename(table, new):
            return TomlEdit(text, is_refused=True)
    return TomlEdit(tomlkit.dumps(document), tuple(required))


def _like(old: Any, text: str) -> Any:
    """A string in the quotes of another, where they can hold it."""
    import tomlkit

    is_literal = old.as_string().startswith("'") or '"' in text
    return tomlkit.string(text, literal=is_literal and "'" not in text)


def _lists(document: Any) -> Iterator[Any]:
    for path, wanted in _LISTS.items():
        table = _at(document, path)
        for key in table or ():
            if wanted.fullmatch(key) and isinstance(table[key], list):
                yield table[key]


def _poetry_tables(document: Any) -> Iterator[Any]:
    poetry = _at(document, ("tool", "poetry")) or {}
    groups = poetry.get("group", {})
    found = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    found += [group.get("dependencies") for group in groups.values()]
    yield from (table for table in found if isinstance(table, dict))


def _rename(table: Any, new: str) -> bool:
    """Put another key and value in the place of ``pedl``; its comment stays."""
    import tomlkit
    from tomlkit.items import Table

    body: Any = getattr(getattr(table, "value", None), "body", None)
    if body is None:
        return False
    for index, (key, old) in enumerate(body):
        if key is None or key.key != "pedl" or isinstance(old, Table):
            continue
        value: Any = tomlkit.string("*")
        if new != CLUSTER:
            value = tomlkit.inline_table()
            value.update({"version": "*", "extras": ["run"]})
        value.trivia.comment_ws, value.trivia.comment = old.trivia.comment_ws, old.trivia.comment
        value.trivia.trail, value.trivia.indent = old.trivia.trail, old.trivia.indent
        body[index] = (tomlkit.key(name_of(new) or new), value)
        return True
    return False


def _at(document: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else None
