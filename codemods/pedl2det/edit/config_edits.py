"""Experiment configs edited by span: what an edit does not concern keeps every byte.

PyYAML tells where each key and value stands. An edit changes the text there and, beside it, the
value that the text is meant to have; the result is read again and must have exactly that value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from pedl2det.facts.config import Config, Entry, KeyPath, as_texts


@dataclass
class ConfigEdits:
    """The edits of one config, each on its text and on its value.

    Attributes:
        config: the config.
        rules: the rules that asked for an edit, with the line.
    """

    config: Config
    rules: list[tuple[str, int]] = field(default_factory=list)
    _spans: list[tuple[int, int, str]] = field(default_factory=list)
    _changes: list[Callable[[Any], None]] = field(default_factory=list)

    def rename(self, rule: str, entry: Entry, name: str) -> None:
        """Give a key another name."""
        self._span(rule, entry, entry.key, _as_written(entry.key, name))
        self._changes.append(lambda root: _rename(root, entry.path, name, lambda value: value))

    def replace(self, rule: str, entry: Entry, text: str) -> None:
        """Give a scalar another text."""
        self._span(rule, entry, entry.value, text)
        self._changes.append(lambda root: _put(root, entry.path, text))

    def nest(self, rule: str, entry: Entry, name: str, inner: str, text: str) -> None:
        """Turn ``key: scalar`` into ``name: {inner: text}``, in the style of its mapping."""
        if entry.in_flow:
            self._span(rule, entry, entry.key, _as_written(entry.key, name))
            self._span(rule, entry, entry.value, f"{{{_as_written(entry.key, inner)}: {text}}}")
        else:
            indent = " " * (entry.key.start_mark.column + 2)
            key, below = _as_written(entry.key, name), _as_written(entry.key, inner)
            self._span(rule, entry, entry.key, f"{key}:{self.config.newline}{indent}{below}")
            self._span(rule, entry, entry.value, text)
        self._changes.append(lambda root: _rename(root, entry.path, name, lambda _: {inner: text}))

    def flatten(self, rule: str, entry: Entry, text: str, name: str | None = None) -> None:
        """Turn ``key: {inner: ...}`` into ``key: text``; comments on its lines go with it.

        Args:
            rule: the rule that asks.
            entry: the key with its mapping.
            text: the new value.
            name: the key's new name, if it gets one.
        """
        start, end = entry.key.end_mark.index, _last_scalar(entry.value).end_mark.index
        comments = "".join(
            f"  {comment}" for comment in re.findall(r"#[^\r\n]*", self.config.text[start:end])
        )
        self._spans.append((start, end, f": {text}{comments}"))
        if name is not None:
            self._spans.append((entry.key.start_mark.index, entry.key.end_mark.index, name))
        key = name or entry.path[-1]
        self._changes.append(lambda root: _rename(root, entry.path, key, lambda _: text))
        self.rules.append((rule, entry.line))

    def insert(self, rule: str, entry: Entry, name: str, text: str) -> None:
        """Add a key to the end of a mapping, in its style."""
        pairs = entry.value.value if isinstance(entry.value, yaml.MappingNode) else []
        if _is_flow(entry.value) or not pairs:
            self._into_braces(entry.value, name, text)
        else:
            end = _last_scalar(entry.value).end_mark.index
            line_end = self.config.text.find("\n", end - 1)  # a block scalar ends with its line
            at = len(self.config.text) if line_end < 0 else line_end + 1
            indent = " " * pairs[0][0].start_mark.column
            newline = self.config.newline
            before = "" if line_end >= 0 else newline
            self._spans.append((at, at, f"{before}{indent}{name}: {text}{newline}"))
        self._changes.append(lambda root: _put(root, (*entry.path, name), text))
        self.rules.append((rule, entry.line))

    def append(self, rule: str, name: str, text: str) -> None:
        """Add a key to the document."""
        root = self.config.root
        if root is not None and _is_flow(root):
            self._into_braces(root, name, text)
        else:
            newline = self.config.newline
            mark = _DOCUMENT_END.search(self.config.text)
            end = mark.start() if mark else len(self.config.text)
            before = "" if self.config.text[:end].endswith("\n") else newline
            self._spans.append((end, end, f"{before}{name}: {text}{newline}"))
        self._changes.append(lambda root: _put(root, (name,), text))
        self.rules.append((rule, self.config.text.count("\n") + 1))

    def _into_braces(self, node: yaml.Node, name: str, text: str) -> None:
        """Add a key to the end of a ``{...}``, quoted as the keys there are."""
        at = len(self.config.text[: node.end_mark.index - 1].rstrip())
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        comma = "" if not pairs else " " if self.config.text[at - 1] == "," else ", "
        if pairs and pairs[-1][0].style:  # plain is None, or empty with libyaml
            key = pairs[-1][0]
            is_text = not _NUMBER.fullmatch(text)
            name, text = _as_written(key, name), _as_written(key, text) if is_text else text
        self._spans.append((at, at, f"{comma}{name}: {text}"))

    @property
    def size(self) -> int:
        """How many edits there are."""
        return len(self._changes)

    def result(self) -> str | None:
        """The new text, or None if it does not mean what the edits meant."""
        text = self.config.text
        for start, end, replacement in sorted(self._spans, reverse=True):
            text = text[:start] + replacement + text[end:]
        try:
            meant = as_texts(self.config.text)
            for change in self._changes:
                change(meant)
            return text if as_texts(text) == meant else None
        except (yaml.YAMLError, KeyError, IndexError, TypeError, ValueError):
            return None

    def _span(self, rule: str, entry: Entry, node: yaml.Node, text: str) -> None:
        self._spans.append((node.start_mark.index, node.end_mark.index, text))
        if (rule, entry.line) not in self.rules:
            self.rules.append((rule, entry.line))


_DOCUMENT_END = re.compile(r"^\.\.\.(\s.*)?$", re.MULTILINE)
_NUMBER = re.compile(r"[-+.\deE]+")


def _as_written(key: yaml.Node, text: str) -> str:
    """A name with the quotes in which a key stands."""
    quote = key.style if isinstance(key, yaml.ScalarNode) and key.style in ("'", '"') else ""
    return f"{quote}{text}{quote}"


def _is_flow(node: yaml.Node) -> bool:
    return bool(getattr(node, "flow_style", False))


def _last_scalar(node: yaml.Node) -> yaml.Node:
    """The last node of a tree that ends where its text ends; a block ends at what follows it."""
    while isinstance(node, yaml.CollectionNode) and not _is_flow(node) and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def _parent(root: Any, path: KeyPath) -> Any:
    for name in path[:-1]:
        root = root[int(name)] if isinstance(root, list) else root[name]
    return root


def _put(root: Any, path: KeyPath, value: Any) -> None:
    parent = _parent(root, path)
    parent[int(path[-1]) if isinstance(parent, list) else path[-1]] = value


def _rename(root: Any, path: KeyPath, name: str, change: Callable[[Any], Any]) -> None:
    parent = _parent(root, path)
    parent[name] = change(parent.pop(path[-1]))
