"""Replace aliases and merges by copies, where a change must not reach the other uses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.config_nodes import Alias, effective, is_merge
from pedl2det.analysis.experiment import changes as ch
from pedl2det.edits import yaml_text
from pedl2det.edits.spans import Span, apply

#: Anchors within anchors are replaced one after the other.
_MOST_ROUNDS = 50


def without_aliases(config: Config, changes: Sequence[ch.Change]) -> Config:
    """Replace the aliases that share text with a changed place.

    A scalar that is replaced in the same way on all of its paths keeps its aliases.

    Args:
        config: the config.
        changes: the changes that shall be made.

    Raises:
        NoPlace: an alias stands where no copy can.
    """
    for _ in range(_MOST_ROUNDS):
        anchors = {id(anchor) for path in _paths(config, changes) for anchor in _on(config, path)}
        if not anchors:
            return config
        config = Config.of(apply(config.text, _expanded(config, anchors)), config.bom)
    raise yaml_text.NoPlace("aliases are nested too deeply to be replaced")


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


def _expanded(config: Config, anchors: set[int]) -> Iterator[Span]:
    """Copies in place of every alias of some anchors, which then need no name."""
    done: set[int] = set()
    for node in _mappings(config.root):
        merges = [pair for pair in node.value if is_merge(pair[0])]
        if merges and any(id(one) in anchors for one in _merged(node)):
            yield from _without_merge(config, node, merges)
            done |= {id(alias) for _, value in merges for alias in _aliases(value)}
    for alias in config.aliases:
        if id(alias.target) in anchors and id(alias) not in done:
            start, end = alias.start_mark.index, alias.end_mark.index
            yield Span(start, end, flow(config, alias.target))
    yield from _without_names(config, anchors)


def _without_merge(
    config: Config, node: yaml.MappingNode, merges: list[tuple[yaml.Node, yaml.Node]]
) -> Iterator[Span]:
    """The merged keys in place of the first ``<<``."""
    merged = [(key, value) for key, value, is_own in effective(node) if not is_own]
    pairs = [f"{flow(config, key)}: {flow(config, value)}" for key, value in merged]
    column = merges[0][0].start_mark.column
    between = ", " if node.flow_style else config.newline + " " * column
    first, *others = merges
    if pairs:
        yield Span(first[0].start_mark.index, yaml_text.end_of(first[1]), between.join(pairs))
    if node.flow_style and (others or not pairs):
        if others:
            raise yaml_text.NoPlace("braces merge twice")
        yield from yaml_text.without_pairs(node, {first[0].value})
        return
    for key, value in others if pairs else merges:
        yield yaml_text.without_lines(config, key, value, ())


def _without_names(config: Config, anchors: set[int]) -> Iterator[Span]:
    """Remove the names of anchors that have no alias left."""
    for node in {id(alias.target): alias.target for alias in config.aliases}.values():
        if id(node) not in anchors:
            continue
        at = node.start_mark.index
        name = re.compile(r"&[^\s,\[\]{}]+").search(config.text, at)
        if name is None:
            raise yaml_text.NoPlace("an anchor has no name")
        start, end = name.span()
        rest = config.text[end : end + 1]
        before = config.text[start - 1 : start]
        yield (
            Span(start - 1, end, "")
            if before == " " and rest in " \r\n"
            else Span(start, end + (rest == " "), "")
        )


def flow(config: Config, node: Any) -> str:
    """The text of a node in one line, with its aliases followed."""
    if isinstance(node, Alias):
        return flow(config, node.target)
    if isinstance(node, yaml.MappingNode):
        pairs = [f"{flow(config, k)}: {flow(config, v)}" for k, v, _ in effective(node)]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(node, yaml.SequenceNode):
        return f"[{', '.join(flow(config, item) for item in node.value)}]"
    start, end = config.source(node)
    text = config.text[start:end]
    is_plain = not node.style and not re.search(r"[\n,\[\]{}]", text)
    if is_plain or (node.style in ("'", '"') and "\n" not in text):
        return text or "null"
    return json.dumps(node.value, ensure_ascii=False)


def _mappings(root: Any) -> Iterator[yaml.MappingNode]:
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, yaml.MappingNode):
            yield node
            stack += [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            stack += node.value


def _aliases(node: yaml.Node) -> list[Alias]:
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return [item for item in items if isinstance(item, Alias)]
