"""Refuse changes that would reach other uses of an anchor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.config_nodes import Alias, effective, is_merge
from pedl2det.analysis.experiment import changes as ch
from pedl2det.edits.yaml_text import NoPlace


def refuse_shared(config: Config, changes: Sequence[ch.Change]) -> None:
    """Refuse changes of places that share their text with others through aliases or merges.

    A scalar that is replaced in the same way on all of its paths keeps its aliases.

    Args:
        config: the config.
        changes: the changes that shall be made.

    Raises:
        NoPlace: a change would reach another use of an anchor.
    """
    for path in _paths(config, changes):
        if any(_on(config, path)):
            raise NoPlace(f"{'.'.join(path)} shares its text with another key")


def _paths(config: Config, changes: Sequence[ch.Change]) -> Iterator[KeyPath]:
    """The paths whose text must be their own."""
    if not config.aliases:
        return
    replaced = {one.path: one.text for one in changes if isinstance(one, ch.Replace)}
    texts: dict[int, set[str | None]] = {}
    for entry in config.scalars():
        texts.setdefault(id(entry.value), set()).add(replaced.get(entry.path))
    for change in changes:
        if isinstance(change, ch.Comment):
            continue
        place = config.entry(*change.path)
        if isinstance(change, ch.Replace) and place and len(texts[id(place.value)]) == 1:
            continue
        yield change.path


def _on(config: Config, path: KeyPath) -> Iterator[Any]:
    """The anchored nodes that a path goes through or shares with others."""
    targets = {id(alias.target) for alias in config.aliases}
    node: Any = config.root
    for name in path:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[int(name)]
        elif isinstance(node, yaml.MappingNode):
            pair = next((one for one in effective(node) if one[0].value == name), None)
            if pair is None:
                return
            if not pair[2] or _is_hidden(node, name):
                yield from _merged(node)
            node = pair[1]
        if isinstance(node, Alias):
            node = node.target
        if id(node) in targets:
            yield node


def _is_hidden(node: yaml.MappingNode, name: str) -> bool:
    """Whether a mapping merges a key that it also has: without its own, the other would appear."""
    merges = yaml.MappingNode("", [pair for pair in node.value if is_merge(pair[0])])
    return any(key.value == name for key, _, _ in effective(merges))


def _merged(node: yaml.MappingNode) -> Iterator[Any]:
    """The anchors that a mapping merges."""
    for key, value in node.value:
        if is_merge(key):
            items = value.value if isinstance(value, yaml.SequenceNode) else [value]
            yield from (item.target for item in items if isinstance(item, Alias))
