"""Where files hold requirements: lists of lines, ``setup.cfg``, conda environments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import yaml


@dataclass(frozen=True)
class Place:
    """One requirement in a text.

    Attributes:
        start: its first character.
        end: the character after its last one, with the options that belong to it.
        text: the requirement, without quotes, comments and options.
    """

    start: int
    end: int
    text: str


_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
_OPTION = re.compile(r"[ \t\\\r\n]+--[a-z][\w-]*(?:[= \t]\S+)?")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
_HEADER = re.compile(r"[ \t]*\[+([^\[\]]+)\]+[ \t]*(?:#.*)?\r?$")


def places(path: PurePath, text: str) -> Iterator[Place]:
    """Every requirement of a file that is no TOML."""
    if path.suffix in (".yaml", ".yml"):
        return _environment(text)
    return _setup_cfg(text) if path.suffix == ".cfg" else _lines(text, 0, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[Place]:
    """One requirement a line, with what continues it; comments stay outside."""
    while start < end:
        line = _LINE.match(text, start, end)
        assert line is not None
        written = text[start : line.end()]
        comment = _COMMENT.search(written)
        body = written[: comment.start()] if comment else written
        bare = _OPTION.sub("", body).rstrip(" \t\r\n\\")
        indent = len(bare) - len(bare.lstrip())
        if bare.strip():
            stop = len(body.rstrip(" \t\r\n"))
            yield Place(start + indent, start + stop, bare.strip())
        start = line.end() + 1


def _setup_cfg(text: str) -> Iterator[Place]:
    section, key = "", ""
    at = 0
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line.rstrip("\r\n"))
        named = re.match(r"([\w.-]+)[ \t]*[=:][ \t]*", line)
        if header:
            section, key = header[1], ""
        elif named:
            key = named[1]
        is_list = (section == "options" and key in ("install_requires", "tests_require")) or (
            section == "options.extras_require"
        )
        if is_list and not header:
            yield from _lines(text, at + (named.end() if named else 0), at + len(line))
        at += len(line)


def _environment(text: str) -> Iterator[Place]:
    """The requirements below ``pip`` in a conda environment, and the packages themselves."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return
    for item in _sequence(root, "dependencies"):
        for inner in [item, *_sequence(item, "pip")]:
            if isinstance(inner, yaml.ScalarNode):
                start, end = inner.start_mark.index, inner.end_mark.index
                quoted = inner.style in ("'", '"')
                yield Place(start + quoted, end - quoted, inner.value)


def _sequence(node: Any, key: str) -> list[Any]:
    for name, value in node.value if isinstance(node, yaml.MappingNode) else []:
        if name.value == key and isinstance(value, yaml.SequenceNode):
            return list(value.value)
    return []
