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

from pedl2det.analysis.config_nodes import (
    Alias,
    check,
    composed,
    effective,
    nodes,
    plain,
    target_of,
)
from pedl2det.analysis.file_bytes import read_bytes
from pedl2det.findings import Unreadable

KeyPath = tuple[str, ...]

_PERIODS = ("min_validation_period", "min_checkpoint_period")
_LEGACY_KEYS = {
    "": ("batches_per_step", "entrypoints"),
    "searcher": ("max_steps", "target_trial_steps", "step_budget", "steps_per_round"),
    "hyperparameters": ("batch_size",),
}
#: Where a config names what it trains, by the kind of name.
_NAMING: dict[str, KeyPath] = {
    "entrypoint": ("entrypoint",),
    "script": ("entrypoint", "script"),
    "trial_class": ("entrypoints", "trial_class"),
    "data_loaders_function": ("entrypoints", "data_loaders_function"),
    "download_data_function": ("entrypoints", "download_data_function"),
}
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")


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
            Unreadable: the file cannot be read, is not UTF-8, or not one YAML document.
        """
        data = read_bytes(path)
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
            config = cls(text, composed(text), bom)
            check(config.root)
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
    def named(self) -> dict[str, str]:
        """The script, or the objects as ``module:object``, that the config names, by kind."""
        found = {kind: self.entry(*path) for kind, path in _NAMING.items()}
        return {kind: one.scalar for kind, one in found.items() if one is not None and one.scalar}

    @property
    def trial(self) -> str:
        """The trial that the config names, as ``module:Class``; else an empty string."""
        found = (self.named.get(kind, "") for kind in ("entrypoint", "trial_class"))
        return next((one for one in found if ":" in one), "")

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
        if path not in self._entries:
            parent = self.entry(*path[:-1])
            pairs = self._pairs(parent) if parent or len(path) == 1 else ()
            self._entries[path] = next((one for one in pairs if one.path == path), None)
        return self._entries[path]

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
        return plain(self.root)

    @cached_property
    def aliases(self) -> list[Alias]:
        """Every alias of the text."""
        return [node for node in nodes(self.root) if isinstance(node, Alias)]

    @cached_property
    def _entries(self) -> dict[KeyPath, Entry | None]:
        """What :meth:`entry` was asked for."""
        return {(): None}

    @cached_property
    def _shared(self) -> set[int]:
        return {id(alias.target) for alias in self.aliases}

    def _pairs(self, parent: Entry | None) -> Iterator[Entry]:
        """The keys and values of a mapping, the items of a list."""
        node = parent.value if parent else target_of(self.root)
        path: KeyPath = parent.path if parent else ()
        is_own = parent.is_own if parent else True
        if isinstance(node, yaml.SequenceNode):
            pairs = [(str(index), item, item, True) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            pairs = [(str(key.value), key, value, own) for key, value, own in effective(node)]
        else:
            return
        for name, key, written, own in pairs:
            value = target_of(written)
            own = own and is_own and value is written and id(value) not in self._shared
            yield Entry((*path, name), key, value, bool(node.flow_style), own)
