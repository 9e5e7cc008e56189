"""Parse YAML with the core schema of YAML 1.2; remember where each key of a config was written.

PyYAML follows YAML 1.1, in which ``1e-4`` is a string, ``no`` is a boolean and ``12:30`` is a
number. The old command line followed YAML 1.2 (docs/semantics.md, Config format).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

KeyPath = tuple[str | int, ...]

#: Nested aliases in a short text may expand to billions of values, or contain themselves.
_MAX_VALUES, _MAX_DEPTH = 100_000, 100
_TOO_MUCH = "nested too deeply, or aliases expand to too many values or to themselves"


class _Loader(yaml.SafeLoader):
    """A safe loader that resolves scalars as YAML 1.2 does."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own class attribute


class _Dumper(yaml.SafeDumper):
    """A safe dumper that quotes whatever YAML 1.1 or 1.2 would not read as text."""


#: The name of each type, what its scalars match, and the characters that they begin with.
_SCALARS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", [*"tTfF"]),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", [*"-+0123456789"]),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        [*"-+0123456789."],
    ),
    ("null", r"~|null|Null|NULL|", [*"~nN", ""]),
    ("merge", r"<<", ["<"]),
)
for _name, _pattern, _first in _SCALARS:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(
            f"tag:yaml.org,2002:{_name}", re.compile(rf"^(?:{_pattern})$"), _first
        )


def _construct_int(loader: _Loader, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node))
    try:
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    except ValueError:  # Python reads no more than 4,300 digits
        message = f"a number of {len(text)} digits is too long"
        raise yaml.constructor.ConstructorError(None, None, message, node.start_mark) from None


def _construct_float(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(re.sub(r"\.(inf|nan)$", r"\1", str(loader.construct_scalar(node)).lower()))


_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)


@dataclass(frozen=True)
class Document:
    """One parsed YAML document."""

    value: Any  #: the document as plain Python objects
    lines: dict[KeyPath, int]  #: the line of each key path, from 1
    duplicate: KeyPath | None  #: the key path of the first duplicate key, or None


def parse(text: str) -> Document:
    """Parse one document.

    Raises:
        yaml.YAMLError: the text is not YAML, is nested too deeply or expands to too much.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        lines: dict[KeyPath, int] = {}
        duplicates: list[KeyPath] = []
        if node is None:
            return Document(None, lines, None)
        _walk(node, (), lines, duplicates)
        value = loader.construct_document(node)
    except RecursionError:
        raise yaml.YAMLError(_TOO_MUCH) from None
    finally:
        loader.dispose()
    return Document(value, lines, duplicates[0] if duplicates else None)


def block(value: Any) -> str:
    """Return a document that :func:`parse` reads as exactly this value."""
    return str(yaml.dump(value, Dumper=_Dumper, sort_keys=False))


def _walk(
    node: yaml.Node, path: KeyPath, lines: dict[KeyPath, int], duplicates: list[KeyPath]
) -> None:
    if len(lines) > _MAX_VALUES or len(path) > _MAX_DEPTH:
        raise yaml.YAMLError(_TOO_MUCH)
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else f"? {id(key)}"
            child = (*path, name)
            lines[child] = key.start_mark.line + 1
            if name in seen:
                duplicates.append(child)
            seen.add(name)
            _walk(value, child, lines, duplicates)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*path, index), lines, duplicates)


@dataclass(frozen=True)
class Source:
    """Where the keys of a config were written."""

    path: Path | None = None  #: the YAML file; None for a mapping in code
    lines: Mapping[KeyPath, int] = field(default_factory=dict)  #: the line of each key path, from 1
    overrides: tuple[KeyPath, ...] = ()  #: the key paths that ``--set`` names
    added: tuple[KeyPath, ...] = ()  #: those that the file does not have

    def location(self, keys: KeyPath) -> str:
        """Return ``file:line: key.path``; a missing key gets the line of its parent."""
        name = ".".join(map(str, keys))
        if self.path is None or not keys:
            return name or str(self.path or "config")
        if any(keys[: len(override)] == override for override in self.overrides):
            return f"--set {name}"
        known = keys
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.path}:{self.lines.get(known, 1)}: {name}"

    def has(self, keys: KeyPath) -> bool:
        """Return whether the file or ``--set`` has a key; always true for a mapping in code."""
        return (
            self.path is None
            or keys in self.lines
            or any(override[: len(keys)] == keys for override in self.overrides)
        )
