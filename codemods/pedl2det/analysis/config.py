"""Experiment configs: the text, the place of each key and value, anchors and merges resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from pedl2det.analysis.tree import decoded, read_bytes
from pedl2det.findings import Unreadable

KeyPath = tuple[str, ...]

_PERIODS = ("min_validation_period", "min_checkpoint_period")
#: Keys of PEDL and Determined 0.12, which counted in steps.
_IN_STEPS: tuple[KeyPath, ...] = (
    ("batches_per_step",),
    ("searcher", "max_steps"),
    ("searcher", "target_trial_steps"),
    ("searcher", "step_budget"),
    ("searcher", "steps_per_round"),
)
#: Where a config names what it trains, by the kind of name.
_NAMING: dict[str, KeyPath] = {
    "entrypoint": ("entrypoint",),
    "script": ("entrypoint", "script"),
    "trial_class": ("entrypoints", "trial_class"),
    "data_loaders_function": ("entrypoints", "data_loaders_function"),
    "download_data_function": ("entrypoints", "download_data_function"),
}
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
#: Visit no more nodes than this: nested aliases may stand for billions of values.
_MOST_NODES = 100_000
_MOST_DIGITS = 4300  # of a number that Python parses
_SCIENTIFIC = re.compile(r"-?\d{1,9}(?:\.\d{0,9})?(?:[eE]\+?\d{1,2})?")
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, with libyaml


@dataclass(frozen=True)
class Entry:
    """A key with its value."""

    path: KeyPath  #: the keys from the root to it
    key: yaml.Node  #: the key's node
    value: yaml.Node  #: the value's node, with aliases followed
    in_flow: bool  #: whether it is written in a ``{...}`` or ``[...]``

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
    """One YAML document."""

    text: str  #: the text, with the line ends of the file, without a byte order mark
    #: The composed document; an alias is the node that it stands for, and a mapping has the keys
    #: that ``<<`` merges into it.
    root: yaml.Node | None
    encoding: str = "utf-8"  #: with or without a byte order mark
    _known: dict[KeyPath, Entry | None] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def read(cls, path: Path) -> Config:
        """Read a file; raises as :meth:`of` does, and if it cannot be read or is not UTF-8."""
        return cls.of(*decoded(read_bytes(path)))

    @classmethod
    def of(cls, text: str, encoding: str = "utf-8") -> Config:
        """Compose a text; raise `Unreadable` if it is not one YAML document, or has a key twice."""
        try:
            root = yaml.compose(text, Loader=_FAST)
            _check(root)
            _merge(root)
        except yaml.YAMLError as error:
            mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", error)
            raise Unreadable(f"not YAML: {problem}", mark.line + 1 if mark else 1) from None
        except RecursionError:
            raise Unreadable("nested too deeply to be read") from None
        return cls(text, root, encoding)

    @property
    def newline(self) -> str:
        """How lines end in this file."""
        return "\r\n" if "\r\n" in self.text else "\n"

    @property
    def is_experiment(self) -> bool:
        """Whether this looks like an experiment config, of any generation."""
        others = [self.entry(key) for key in ("hyperparameters", "entrypoint", "entrypoints")]
        others.append(self.entry("searcher", "max_steps"))
        return self.entry("searcher") is not None and any(others)

    @cached_property
    def named(self) -> dict[str, str]:
        """The script, or the objects as ``module:object``, that the config names, by kind."""
        texts = {kind: self.scalar(*path) for kind, path in _NAMING.items()}
        return {kind: text for kind, text in texts.items() if text}

    @property
    def trial(self) -> str:
        """The trial that the config names, as ``module:Class``; else an empty string."""
        entrypoints = (self.named.get(kind, "") for kind in ("entrypoint", "trial_class"))
        return next((name for name in entrypoints if ":" in name), "")

    @cached_property
    def counts_steps(self) -> bool:
        """Whether lengths are in steps, as in PEDL and Determined 0.12."""
        return bool(self.periods) or any(self.entry(*path) for path in _IN_STEPS)

    @property
    def periods(self) -> list[Entry]:
        """The periods of validations and checkpoints that are in steps."""
        periods = [self.entry(name) for name in _PERIODS]
        return [
            entry for entry in periods if entry and entry.scalar is not None and not entry.is_null
        ]

    def entry(self, *path: str) -> Entry | None:
        """The key and value at a path of keys, or None."""
        if path not in self._known:
            around = self.entry(*path[:-1]) if path[1:] else None
            is_there = around is not None or not path[1:]
            self._known[path] = self._pairs(around).get(path[-1]) if path and is_there else None
        return self._known[path]

    def entries(self, *path: str) -> list[Entry]:
        """The keys and values of the mapping at a path of keys; empty if there is none."""
        entry = self.entry(*path)
        return [*self._pairs(entry).values()] if entry or not path else []

    def scalar(self, *path: str) -> str:
        """The text of the scalar at a path of keys; empty if there is none."""
        entry = self.entry(*path)
        return (entry.scalar or "") if entry is not None else ""

    def scalars(self) -> Iterator[Entry]:
        """Every key with a scalar value and every scalar of a list, at any depth."""
        stack = self.entries()[::-1]
        while stack:
            entry = stack.pop()
            if entry.scalar is not None:
                yield entry
            else:
                stack += [*self._pairs(entry).values()][::-1]

    def source(self, node: yaml.Node) -> tuple[int, int]:
        """The span of a node's text, without its anchor and tag."""
        start, end = node.start_mark.index, node.end_mark.index
        properties = _PROPERTIES.match(self.text, start, end)
        assert properties is not None
        return properties.end(), end

    def value(self) -> Any:
        """The document as plain objects: every scalar as its text, without shared objects."""
        return _plain(self.root)

    def text_without_aliases(self) -> str:
        """The document as a new text with the same values, without aliases and comments."""
        return str(yaml.serialize(self.root, Dumper=_WithoutAliases, allow_unicode=True))

    def _pairs(self, parent: Entry | None) -> dict[str, Entry]:
        """The keys and values of a mapping, the items of a list, by name."""
        node = parent.value if parent else self.root
        path: KeyPath = parent.path if parent else ()
        if isinstance(node, yaml.SequenceNode):
            pairs = [(str(index), item, item) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            pairs = [(str(key.value), key, value) for key, value in node.value]
        else:
            return {}
        flow = bool(node.flow_style)
        return {name: Entry((*path, name), key, value, flow) for name, key, value in pairs}


class _WithoutAliases(yaml.SafeDumper):
    """Writes a node in full at each of its places."""

    def serialize_node(self, node: yaml.Node, parent: yaml.Node, index: int) -> None:
        """Write a node, even if it was written before."""
        self.anchors[node] = None
        self.serialized_nodes.pop(node, None)
        super().serialize_node(node, parent, index)


def whole_number(text: str) -> int | None:
    """Parse a whole number, such as ``1e2``; None if it is none, or longer than Python parses."""
    if text.removeprefix("-").isdecimal():
        return int(text) if len(text) <= _MOST_DIGITS else None
    value = float(text) if _SCIENTIFIC.fullmatch(text) else 0.5
    return int(value) if value.is_integer() else None


def _check(root: Any) -> None:
    """Refuse duplicate keys, aliases that expand to too many values, and numbers too long."""
    for count, node in enumerate(_nodes(root)):
        if count > _MOST_NODES:
            raise Unreadable("aliases of aliases stand for too many values")
        line = node.start_mark.line + 1
        if node.tag == "tag:yaml.org,2002:int" and len(node.value) > _MOST_DIGITS:
            raise Unreadable(f"not YAML: a number of {len(node.value)} digits", line)
        names: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else []:
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in names and key.value != "<<":
                line = key.start_mark.line + 1
                raise Unreadable(f"the key {key.value} is there twice: keep one", line)
            names.add(key.value)


def _merge(root: Any) -> None:
    """Give mappings the keys that ``<<`` merges into them, in front of their own."""
    loader = yaml.SafeLoader("")
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode) and any(key.value == "<<" for key, _ in node.value):
            loader.flatten_mapping(node)


def _nodes(root: Any) -> Iterator[Any]:
    """Every node below a root, in the order of the text; one with aliases comes several times."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, yaml.MappingNode):
            stack += [child for pair in reversed(node.value) for child in reversed(pair)]
        elif isinstance(node, yaml.SequenceNode):
            stack += reversed(node.value)


def _plain(node: Any) -> Any:
    """A node as plain objects: see :meth:`Config.value`."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return node.value if node is not None else None


_TENSORFLOW = re.compile(r"(?:[-:]tf|\btensorflow)[-:](\d+)\.(\d+)")


def tensorflow_in(image: str) -> set[tuple[int, int]]:
    """Return the versions of TensorFlow in the name of an image."""
    return {(int(major), int(minor)) for major, minor in _TENSORFLOW.findall(image)}


def is_old_image(image: str) -> bool:
    """Tell whether an image has a TensorFlow that is too old, by the image's name."""
    return any(version < (2, 15) for version in tensorflow_in(image))
