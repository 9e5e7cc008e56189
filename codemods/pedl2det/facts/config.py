"""Experiment configs: their text, where each key and value stands in it, and what it means."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from pedl2det.findings import Unreadable

KeyPath = tuple[str, ...]

# PyYAML is ten times as fast where it was built with libyaml. What is written as a scalar or in
# braces begins and ends at the same places for both; where a block ends, they see differently, and
# nobody asks.
_VALUES: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXTS: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Config:
    """One YAML file.

    Attributes:
        path: where it is.
        text: its text, with the line ends of the file.
        root: the composed document.
        bom: whether it begins with a byte order mark.
    """

    path: Path
    text: str
    root: yaml.Node | None
    bom: bool = False

    @classmethod
    def read(cls, path: Path) -> Config:
        """Read a file.

        Raises:
            Unreadable: it is not UTF-8, or not one YAML document.
        """
        data = path.read_bytes()
        bom = data.startswith(codecs.BOM_UTF8)
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unreadable(f"not UTF-8 text (byte {error.start})") from None
        return cls.of(path, text, bom)

    @classmethod
    def of(cls, path: Path, text: str, bom: bool = False) -> Config:
        """Compose a text; raises as :meth:`read`."""
        try:
            return cls(path, text, _composed(text), bom)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise Unreadable(f"not YAML: {error.problem}", line) from None
        except yaml.YAMLError as error:
            raise Unreadable(f"not YAML: {error}") from None
        except RecursionError:
            raise Unreadable("nested too deeply to be read") from None

    def encoded(self, text: str) -> bytes:
        """The bytes of a new text of this file."""
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode()

    @property
    def newline(self) -> str:
        """How lines end in this file."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def legacy_keys(self) -> list[str]:
        """What of the old dialect the config means, with its anchors and merges followed."""
        return self._legacy_keys

    @cached_property
    def _legacy_keys(self) -> list[str]:
        return legacy_keys(self.text)

    @property
    def is_experiment(self) -> bool:
        """Whether this looks like an experiment config, of whichever generation."""
        others = (("hyperparameters",), ("entrypoint",), ("searcher", "max_steps"))
        return self.entry("searcher") is not None and any(self.entry(*one) for one in others)

    def entry(self, *path: str) -> Entry | None:
        """The key and value at a path of keys, or None."""
        node, found = self.root, None
        for name in path:
            if not isinstance(node, yaml.MappingNode):
                return None
            found = next((pair for pair in node.value if pair[0].value == name), None)
            if found is None:
                return None
            parent, (_, node) = node, found
        return None if found is None else Entry(path, found[0], found[1], parent.flow_style)

    def entries(self, *path: str) -> list[Entry]:
        """The keys and values of the mapping at a path of keys."""
        entry = self.entry(*path)
        node = entry.value if entry else (self.root if not path else None)
        if not isinstance(node, yaml.MappingNode):
            return []
        return [Entry((*path, key.value), key, value, node.flow_style) for key, value in node.value]

    def scalars(self) -> list[Entry]:
        """Every key whose value is a scalar, and every scalar in a list, at any depth."""
        found: list[Entry] = []
        stack: list[tuple[KeyPath, yaml.Node]] = [((), self.root)] if self.root else []
        while stack:
            path, node = stack.pop()
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    child = (*path, key.value)
                    if isinstance(value, yaml.ScalarNode):
                        found.append(Entry(child, key, value, node.flow_style))
                    stack.append((child, value))
            elif isinstance(node, yaml.SequenceNode):
                for index, value in enumerate(node.value):
                    child = (*path, str(index))
                    if isinstance(value, yaml.ScalarNode):
                        found.append(Entry(child, value, value, node.flow_style))
                    stack.append((child, value))
        return found


def _composed(text: str) -> yaml.Node | None:
    """The nodes of a text; PyYAML's own parser says what is wrong with it."""
    try:
        return yaml.compose(text, Loader=_VALUES)
    except yaml.YAMLError:
        return yaml.compose(text, Loader=yaml.SafeLoader)


def as_texts(text: str) -> Any:
    """What a text means with every scalar as text: tags and dates need no understanding."""
    return yaml.load(text, _TEXTS)  # noqa: S506 - safe


def legacy_keys(text: str) -> list[str]:
    """What of the old dialect a config's text means, with its anchors and merges followed."""
    try:
        value = yaml.load(text, _VALUES)  # noqa: S506 - safe
    except (yaml.YAMLError, ValueError):  # a tag or a date of its own
        value = as_texts(text)
    sections = {
        "": ("batches_per_step",),
        "searcher": ("max_steps", "target_trial_steps"),
        "hyperparameters": ("batch_size",),
    }
    found = [
        f"{section}.{key}".lstrip(".")
        for section, keys in sections.items()
        for key in keys
        if key in ((value.get(section) or {}) if section else value)
    ]
    periods = ("min_validation_period", "min_checkpoint_period")
    return found + [name for name in periods if isinstance(value.get(name), int | str)]


@dataclass(frozen=True)
class Entry:
    """A key with its value.

    Attributes:
        path: the keys from the root to it.
        key: the key's node.
        value: the value's node.
        in_flow: whether it stands in a ``{...}``.
    """

    path: KeyPath
    key: yaml.Node
    value: yaml.Node
    in_flow: bool

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return self.key.start_mark.line + 1

    @property
    def scalar(self) -> str | None:
        """The text of a scalar value."""
        return self.value.value if isinstance(self.value, yaml.ScalarNode) else None
