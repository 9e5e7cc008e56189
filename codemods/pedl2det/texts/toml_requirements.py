"""Requirements in ``pyproject.toml``, which is read and never edited."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

#: Tables, and which of their keys hold lists of requirements.
_LISTS = (
    (("project",), "dependencies"),
    (("project", "optional-dependencies"), ""),
    (("dependency-groups",), ""),
    (("build-system",), "requires"),
    (("tool", "uv"), "dev-dependencies"),
)


def toml_requirements(text: str) -> Iterator[tuple[int, str]]:
    """Every requirement of a file, with its line; in a file that is no TOML, only PEDL's."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        if found := re.search(r"(?m)^[^#\n]*\bpedl\b", text):
            yield _line(text, found), "pedl"
        return
    for path, only in _LISTS:
        for key, items in _at(document, path).items():
            for item in items if isinstance(items, list) and only in ("", key) else ():
                if isinstance(item, str):  # not {include-group = "..."}
                    yield _line(text, re.search(rf"[\"']{re.escape(item)}[\"']", text)), item
    if isinstance(python := _at(document, ("project",)).get("requires-python"), str):
        yield _line(text, re.search(r"(?m)^[ \t]*requires-python\b", text)), f"python{python}"
    for table in _poetry_tables(document):
        for name, value in table.items():
            version = value.get("version") if isinstance(value, dict) else value
            key = rf"(?m)^[ \t]*(?:\[.*\.)?[\"']?{re.escape(name)}[\"']?[ \t]*[=\]]"
            is_bound = isinstance(version, str) and version != "*"
            required = f"{name} ({version})" if is_bound else name
            yield _line(text, re.search(key, text)), required


def _poetry_tables(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in ("dependencies", "dev-dependencies"):
        yield _at(document, ("tool", "poetry", kind))
    for group in _at(document, ("tool", "poetry", "group")):
        yield _at(document, ("tool", "poetry", "group", group, "dependencies"))


def _at(document: Any, path: tuple[str, ...]) -> dict[str, Any]:
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _line(text: str, found: re.Match[str] | None) -> int:
    return text.count("\n", 0, found.start()) + 1 if found else 1
