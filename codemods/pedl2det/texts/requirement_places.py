"""Where in files of each kind requirements stand: spans of the text, found without guessing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Tables = dict[str, re.Pattern[str]]


@dataclass(frozen=True)
class Place:
    """One requirement in a file.

    Attributes:
        start: where its text begins.
        end: where its text ends.
        text: the requirement, with the quotes of the file gone.
    """

    start: int
    end: int
    text: str


_LINE = re.compile(r"(?:\\\r?\n|[^\n])*")
_OPTION = re.compile(r"[ \t\\\r\n]+--[a-z][\w-]*(?:[= \t]\S+)?")
_COMMENT = re.compile(r"(?:^|[ \t])#.*", re.DOTALL)
_HEADER = re.compile(r"[ \t]*\[+([^\[\]]+)\]+[ \t]*(?:#.*)?\r?$")
_KEY = re.compile(r"""[ \t]*(["']?)([\w-]+)\1[ \t]*=(?!=)""")
_STRING = re.compile(r""""([^"\\\n]*)"|'([^'\n]*)'""")

#: Tables of pyproject.toml, and which of their keys hold lists of requirements.
_TOML_LISTS: Tables = {
    "project": re.compile("dependencies"),
    "project.optional-dependencies": re.compile(".*"),
    "dependency-groups": re.compile(".*"),
    "build-system": re.compile("requires"),
    "tool.uv": re.compile("dev-dependencies"),
}


def places(path: Path, text: str) -> Iterator[Place]:
    """Every requirement of a file."""
    if path.suffix == ".toml":
        return _toml(text)
    if path.suffix in (".yaml", ".yml"):
        return _environment(text)
    return _setup_cfg(text) if path.suffix == ".cfg" else _lines(text, 0, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[Place]:
    """One requirement a line, with what continues it; options and comments stay outside."""
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
    """The requirements below ``pip`` in a conda environment, and the package of that name."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
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


def _toml(text: str) -> Iterator[Place]:
    import tomllib  # most runs find no such file

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    table, key, at = "", "", 0
    for line in text.splitlines(keepends=True):
        header, named = _HEADER.match(line.rstrip("\r\n")), _KEY.match(line)
        if header and not line.startswith((" ", "\t")):
            table, key = header[1].strip(), ""
        elif named:
            key = named[2]
        wanted = _TOML_LISTS.get(table)
        if wanted is not None and wanted.fullmatch(key) and not header:
            code = _STRING.sub(lambda found: "x" * len(found[0]), line).partition("#")[0]
            strings = _STRING.finditer(line, named.end() if named else 0, len(code))
            for string in strings:
                if not line[: string.start()].rstrip().endswith("="):  # {include-group = "x"}
                    start, end = at + string.start() + 1, at + string.end() - 1
                    yield Place(start, end, text[start:end])
        at += len(line)
