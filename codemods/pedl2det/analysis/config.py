"""Experiment configs: the text, the place of each key and value, anchors and merges resolved."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from pedl2det.findings import Unreadable

KeyPath = tuple[str, ...]

#: Follow no more aliases than this: a file of nested aliases may stand for billions of values.
_MOST_NODES = 100_000
_PERIODS = ("min_validation_period", "min_checkpoint_period")
_LEGACY_KEYS = {
    "": ("batches_per_step", "entrypoints"),
    "searcher": ("max_steps", "target_trial_steps", "step_budget", "steps_per_round"),
    "hyperparameters": ("batch_size",),
}
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, with libyaml
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


class Alias(yaml.Node):
    """``*name`` in a config.

    Attributes:
        name: the anchor's name.
        target: the node that the anchor names.
    """

    def __init__(self, name: str, target: yaml.Node, start: Any, end: Any) -> None:
        super().__init__("", None, start, end)
        self.name = name
        self.target = target


class _AliasLoader(yaml.SafeLoader):
    """Keep aliases apart from what they stand for; PyYAML returns the same node for both."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if not self.check_event(yaml.AliasEvent):
            return super().compose_node(parent, index)
        event = self.peek_event()  # type: ignore[no-untyped-call]
        target = super().compose_node(parent, index)
        assert target is not None
        return Alias(event.anchor, target, event.start_mark, event.end_mark)


@dataclass(frozen=True)
class Entry:
    """A key with its value.

    Attributes:
        path: the keys from the root to it.
        key: the key's node.
        value: the value's node, with aliases followed.
        in_flow: whether it is written in a ``{...}`` or ``[...]``.
        is_own: whether the text at this place belongs to this path alone. It does not where the
            path goes through an alias or a merge, or through an anchor that has an alias.
    """

    path: KeyPath
    key: yaml.Node
    value: yaml.Node
    in_flow: bool
    is_own: bool

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return int(self.key.start_mark.line) + 1

    @property
    def name(self) -> str:
        """The keys from the root to it, as messages write them."""
        return ".".join(self.path)

    @property
    def scalar(self) -> str | None:
        """The text of a scalar value, or None."""
        return self.value.value if isinstance(self.value, yaml.ScalarNode) else None

    @property
    def is_mapping(self) -> bool:
        """Whether the value is a mapping."""
        return isinstance(self.value, yaml.MappingNode)

    @property
    def is_null(self) -> bool:
        """Whether the value is missing or null."""
        return self.scalar in ("", "~", "null", "Null", "NULL") and self.is_plain

    @property
    def is_plain(self) -> bool:
        """Whether the value is a scalar without quotes."""
        return isinstance(self.value, yaml.ScalarNode) and not self.value.style


@dataclass(frozen=True)
class Config:
    """One YAML document.

    Attributes:
        text: the text, with the line ends of the file, without a byte order mark.
        root: the composed document; aliases are nodes of their own.
        bom: whether the file begins with a byte order mark.
    """

    text: str
    root: yaml.Node | None
    bom: bool = False

    @classmethod
    def read(cls, path: Path) -> Config:
        """Read a file.

        Raises:
            Unreadable: the file is not UTF-8, or not one YAML document.
        """
        data = path.read_bytes()
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable(f"not UTF-8 text (byte {error.start})") from None
        return cls.of(text, data.startswith(codecs.BOM_UTF8))

    @classmethod
    def of(cls, text: str, bom: bool = False) -> Config:
        """Compose a text.

        Raises:
            Unreadable: the text is not one YAML document, or a mapping has a key twice.
        """
        if text.startswith("\ufeff"):
            text, bom = text[1:], True
        try:
            config = cls(text, _composed(text), bom)
            _check(config)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise Unreadable(f"not YAML: {error.problem}", line) from None
        except yaml.YAMLError as error:
            raise Unreadable(f"not YAML: {error}") from None
        except RecursionError:
            raise Unreadable("nested too deeply to be read") from None
        return config

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text of this file."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode()

    @property
    def newline(self) -> str:
        """How lines end in this file."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def is_experiment(self) -> bool:
        """Whether this looks like an experiment config, of any generation."""
        others: tuple[KeyPath, ...] = (
            ("hyperparameters",),
            ("entrypoint",),
            ("entrypoints",),
            ("searcher", "max_steps"),
        )
        return self.entry("searcher") is not None and any(self.entry(*one) for one in others)

    @cached_property
    def counts_steps(self) -> bool:
        """Whether lengths are in steps, as in PEDL and Determined 0.12."""
        keys = set(self.legacy_keys())
        return bool(keys - {"entrypoints", "hyperparameters.batch_size"})

    def legacy_keys(self) -> list[str]:
        """The keys of the old dialect that the config uses."""
        found = [
            f"{section}.{key}".lstrip(".")
            for section, keys in _LEGACY_KEYS.items()
            for key in keys
            if self.entry(*filter(None, (section, key)))
        ]
        for name in _PERIODS:
            period = self.entry(name)
            if period and period.scalar is not None and not period.is_null:
                found.append(name)
        return found

    def entry(self, *path: str) -> Entry | None:
        """The key and value at a path of keys, or None."""
        found: Entry | None = None
        for name in path:
            pairs = self._pairs(found)
            found = next((one for one in pairs if one.path[-1] == name), None)
            if found is None:
                return None
        return found

    def entries(self, *path: str) -> list[Entry]:
        """The keys and values of the mapping at a path of keys; empty if there is none."""
        found = self.entry(*path)
        return list(self._pairs(found)) if found or not path else []

    def scalars(self) -> Iterator[Entry]:
        """Every key with a scalar value and every scalar of a list, at any depth."""
        stack = list(self._pairs(None))[::-1]
        while stack:
            one = stack.pop()
            if isinstance(one.value, yaml.ScalarNode):
                yield one
            else:
                stack += list(self._pairs(one))[::-1]

    def source(self, node: yaml.Node) -> tuple[int, int]:
        """The span of a node's text, without its anchor and tag."""
        start, end = node.start_mark.index, node.end_mark.index
        properties = _PROPERTIES.match(self.text, start, end)
        assert properties is not None
        return properties.end(), end

    def value(self) -> Any:
        """The document as plain objects, every scalar as its text, nothing shared."""
        return _plain(self.root)

    @cached_property
    def aliases(self) -> list[Alias]:
        """Every alias of the text."""
        return [node for node in _nodes(self.root) if isinstance(node, Alias)]

    @cached_property
    def _shared(self) -> set[int]:
        return {id(alias.target) for alias in self.aliases}

    def _pairs(self, parent: Entry | None) -> Iterator[Entry]:
        """The keys and values of a mapping, the items of a list."""
        node = parent.value if parent else _target(self.root)
        path: KeyPath = parent.path if parent else ()
        is_own = parent.is_own if parent else True
        if isinstance(node, yaml.SequenceNode):
            pairs = [(str(index), item, item, True) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            pairs = [(str(key.value), key, value, own) for key, value, own in effective(node)]
        else:
            return
        for name, key, written, own in pairs:
            value = _target(written)
            own = own and is_own and value is written and id(value) not in self._shared
            yield Entry((*path, name), key, value, bool(node.flow_style), own)


def effective(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node, bool]]:
    """The pairs of a mapping with its merges, and whether each is its own."""
    own = [(key, value, True) for key, value in node.value if not is_merge(key)]
    names = {key.value for key, _, _ in own if isinstance(key, yaml.ScalarNode)}
    for key, value in node.value:
        if not is_merge(key):
            continue
        target = _target(value)
        sources = target.value if isinstance(target, yaml.SequenceNode) else [target]
        for source in map(_target, sources):
            for inner, meant, _ in effective(source) if _is_mapping(source) else []:
                name = inner.value if isinstance(inner, yaml.ScalarNode) else None
                if name is not None and name not in names:
                    names.add(name)
                    own.append((inner, meant, False))
    return own


def is_merge(key: yaml.Node) -> bool:
    """Whether a key is ``<<``."""
    return isinstance(key, yaml.ScalarNode) and key.value == "<<" and not key.style


def _is_mapping(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def _target(node: Any) -> Any:
    return node.target if isinstance(node, Alias) else node


def _composed(text: str) -> yaml.Node | None:
    """The nodes of a text; PyYAML's own parser words the problems."""
    if "*" not in text:
        try:
            return yaml.compose(text, Loader=_FAST)
        except yaml.YAMLError:
            pass
    return yaml.compose(text, Loader=_AliasLoader)


def _check(config: Config) -> None:
    """Refuse keys that are there twice, and aliases that stand for too much."""
    for node in _nodes(config.root):
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else []:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name in seen and name != "<<":
                line = key.start_mark.line + 1
                raise Unreadable(f"the key {name} is there twice: keep one", line)
            if name is not None:
                seen.add(name)
    if config.aliases:
        for count, _ in enumerate(_nodes(config.root, follow=True)):
            if count > _MOST_NODES:
                raise Unreadable("aliases of aliases stand for too many values")


def _nodes(root: Any, follow: bool = False) -> Iterator[Any]:
    """Every node below a root, in the order of the text."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if follow:
            node = _target(node)
        yield node
        if isinstance(node, yaml.MappingNode):
            stack += [child for pair in reversed(node.value) for child in reversed(pair)]
        elif isinstance(node, yaml.SequenceNode):
            stack += reversed(node.value)


def _plain(node: Any) -> Any:
    node = _target(node)
    if isinstance(node, yaml.MappingNode):
        return {_key(key): _plain(value) for key, value, _ in effective(node)}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return node.value if node is not None else None


def _key(node: Any) -> Any:
    value = _plain(node)
    return value if isinstance(value, str) else repr(value)
