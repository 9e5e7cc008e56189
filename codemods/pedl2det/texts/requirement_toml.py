"""Requirements in TOML: Poetry's tables, and the proof that nothing else has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pedl2det.texts.requirement_places import Place

#: What stands in Poetry's tables in place of ``pedl = "..."``.
POETRY = 'pedl2det = {version = "*", extras = ["run"]}'

_TABLE = re.compile(r"(?m)^\[([^\[\]\n]+)\]")
_POETRY_TABLE = re.compile(r"tool\.poetry\.(?:dev-|group\.[\w-]+\.)?dependencies")
_OLD = re.compile(r"""(?m)^[ \t]*(pedl[ \t]*=[ \t]*(?:"[^"\n]*"|'[^'\n]*'|(?=[^"' \t])))""")


def in_poetry(text: str) -> Iterator[Place]:
    """``pedl = "^0.11"`` in Poetry's tables; one with a table of its own has no text."""
    tables = list(_TABLE.finditer(text))
    ends = [*(table.start() for table in tables[1:]), len(text)]
    for table, end in zip(tables, ends, strict=False):
        if _POETRY_TABLE.fullmatch(table[1].strip()):
            for found in _OLD.finditer(text, table.end(), end):
                is_plain = found[1].endswith(("'", '"'))
                yield Place(found.start(1), found.end(1), found[1] if is_plain else "")


def same_but_for(old: str, new: str, requirements: int) -> bool:
    """Whether a text means the same as another, but for as many requirements on pedl."""
    import tomllib  # most runs find no such file

    try:
        before, after = _leaves(tomllib.loads(old)), _leaves(tomllib.loads(new))
    except tomllib.TOMLDecodeError:
        return False
    gone = [leaf for leaf in before if leaf not in after]
    come = [leaf for leaf in after if leaf not in before]
    return (
        len(gone) == requirements
        and all(_is_item(path) or path.endswith(".pedl") for path, _ in gone)
        and all(
            (_is_item(path) and str(value).startswith("pedl2det")) or ".pedl2det." in path
            for path, value in come
        )
    )


def _is_item(path: str) -> bool:
    return path.rpartition(".")[2].isdigit()


def _leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every value that is no table and no list, with the way to it."""
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        return [(path, value)]
    return [leaf for key, item in inner for leaf in _leaves(item, f"{path}.{key}")]
