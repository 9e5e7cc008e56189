"""Places in the text of a config: ends of values, lines of keys, room for new ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from pedl2det.analysis.config import Config
from pedl2det.analysis.config_nodes import Alias
from pedl2det.edits.spans import Span

_DOCUMENT_END = re.compile(r"^\.\.\.(\s.*)?$", re.MULTILINE)
_NUMBER = re.compile(r"[-+.\deE]+|true|false|null|\{.*\}")

Pairs = list[tuple[str, str]]


class NoPlace(Exception):  # noqa: N818 - describes the text
    """A key or value has no text of its own that could be replaced."""


def as_written(node: yaml.Node, text: str) -> str:
    """A text in the quotes of a scalar node."""
    quote = node.style if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') else ""
    return f"{quote}{text}{quote}"


def comment_lines(config: Config, lines: tuple[str, ...], column: int) -> str:
    """Lines of comment at a column."""
    return "".join(f"{' ' * column}# {line}{config.newline}" for line in lines)


def indent(config: Config) -> int:
    """By how many columns the first nested mapping of a config is indented."""
    root = config.root
    for key, value in root.value if isinstance(root, yaml.MappingNode) else []:
        if isinstance(value, yaml.MappingNode) and not value.flow_style and value.value:
            return max(int(value.value[0][0].start_mark.column - key.start_mark.column), 1)
    return 2


def end_of(node: yaml.Node) -> int:
    """Where the text of a node ends; a block's end mark is at what follows it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def end_of_pair(key: yaml.Node, value: yaml.Node) -> int:
    """Where a key and its value end; a missing value may be marked before or after its line."""
    is_missing = isinstance(value, yaml.ScalarNode) and not value.value and not value.style
    return int(key.end_mark.index) if is_missing else max(key.end_mark.index, end_of(value))


def line_end(text: str, at: int) -> int:
    """The start of the line after the one in which a value ends; a block scalar ends with it."""
    found = text.find("\n", max(at - 1, 0))
    return len(text) if found < 0 else found + 1


def below(config: Config, node: yaml.MappingNode, pairs: Pairs) -> Span:
    """Add keys after the last line of a block mapping."""
    at = line_end(config.text, end_of_pair(*node.value[-1]))
    column = " " * node.value[0][0].start_mark.column
    lines = "".join(f"{column}{name}: {text}{config.newline}" for name, text in pairs)
    before = "" if config.text[:at].endswith("\n") else config.newline
    return Span(at, at, before + lines)


def at_end(config: Config, pairs: Pairs) -> Span:
    """Add keys to the end of a document."""
    mark = _DOCUMENT_END.search(config.text)
    end = mark.start() if mark else len(config.text)
    before = "" if config.text[:end].endswith("\n") else config.newline
    lines = "".join(f"{name}: {text}{config.newline}" for name, text in pairs)
    return Span(end, end, before + lines)


def into_braces(config: Config, node: yaml.MappingNode, pairs: Pairs) -> Span:
    """Add keys to the end of a ``{...}``, quoted as the keys that are there."""
    if not node.flow_style:
        raise NoPlace("a mapping is written without braces and keys")
    at = len(config.text[: node.end_mark.index - 1].rstrip())
    quoted = node.value[-1][0] if node.value and node.value[-1][0].style else None
    written = [_pair(quoted, *pair) for pair in pairs]
    comma = "" if not node.value else " " if config.text[at - 1] == "," else ", "
    return Span(at, at, comma + ", ".join(written))


def _pair(quoted: Any, name: str, text: str) -> str:
    if quoted is None:
        return f"{name}: {text}"
    value = text if _NUMBER.fullmatch(text) else as_written(quoted, text)
    return f"{as_written(quoted, name)}: {value}"


def without_lines(
    config: Config, key: yaml.Node, value: yaml.Node, comments: tuple[str, ...]
) -> Span:
    """Remove the lines of a key and its value, with the comments behind them."""
    start = config.text.rfind("\n", 0, key.start_mark.index) + 1
    if config.text[start : key.start_mark.index].strip(" "):
        raise NoPlace(f"{key.value} shares its line with something else")
    end = line_end(config.text, end_of_pair(key, value))
    return Span(start, end, comment_lines(config, comments, key.start_mark.column))


def without_pairs(node: yaml.MappingNode, gone: set[str]) -> Iterator[Span]:
    """Remove keys from a ``{...}`` with their commas; consecutive ones as one span."""
    pairs = node.value
    run: list[int] = []
    for index in range(len(pairs) + 1):
        if index < len(pairs) and pairs[index][0].value in gone:
            run.append(index)
            continue
        if run:
            yield _without_run(node, run[0], run[-1])
        run = []


def _without_run(node: yaml.MappingNode, first: int, last: int) -> Span:
    pairs = node.value
    if first > 0:
        return Span(_end(pairs[first - 1]), _end(pairs[last]), "")
    if last + 1 < len(pairs):
        return Span(pairs[0][0].start_mark.index, pairs[last + 1][0].start_mark.index, "")
    return Span(node.start_mark.index + 1, node.end_mark.index - 1, "")


def _end(pair: tuple[yaml.Node, yaml.Node]) -> int:
    key, value = pair
    return int(value.end_mark.index) if isinstance(value, Alias) else end_of_pair(key, value)
