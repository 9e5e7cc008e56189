"""The nodes of a YAML document, with aliases as nodes of their own, and merges resolved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from pedl2det.findings import Unreadable

#: Follow no more aliases than this: a file of nested aliases may stand for billions of values.
_MOST_NODES = 100_000
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, with libyaml


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


def effective(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node, bool]]:
    """The pairs of a mapping with its merges, and whether each is its own."""
    own = [(key, value, True) for key, value in node.value if not is_merge(key)]
    names = {key.value for key, _, _ in own if isinstance(key, yaml.ScalarNode)}
    for key, value in node.value:
        if not is_merge(key):
            continue
        target = target_of(value)
        sources = target.value if isinstance(target, yaml.SequenceNode) else [target]
        for source in map(target_of, sources):
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


def target_of(node: Any) -> Any:
    """What an alias stands for; any other node is itself."""
    return node.target if isinstance(node, Alias) else node


def composed(text: str) -> yaml.Node | None:
    """The nodes of a text; PyYAML's own parser words the problems."""
    if "*" not in text:
        try:
            return yaml.compose(text, Loader=_FAST)
        except yaml.YAMLError:
            pass
    return yaml.compose(text, Loader=_AliasLoader)


def check(root: yaml.Node | None) -> None:
    """Refuse keys that are there twice, aliases that stand for too much, and endless numbers."""
    has_aliases = False
    for node in nodes(root):
        has_aliases = has_aliases or isinstance(node, Alias)
        if _is_endless(node):
            digits, line = len(node.value), node.start_mark.line + 1
            raise Unreadable(f"not YAML: a number of {digits} digits", line)
        seen: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else []:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name in seen and name != "<<":
                line = key.start_mark.line + 1
                raise Unreadable(f"the key {name} is there twice: keep one", line)
            if name is not None:
                seen.add(name)
    if has_aliases:
        for count, _ in enumerate(nodes(root, follow=True)):
            if count > _MOST_NODES:
                raise Unreadable("aliases of aliases stand for too many values")


def whole_number(text: str) -> int | None:
    """Return the whole number that a text is; None if it is none, or one that Python refuses."""
    try:
        return int(text) if text.removeprefix("-").isdecimal() else None
    except ValueError:  # of more than 4,300 digits
        return None


def _is_endless(node: yaml.Node) -> bool:
    is_number = isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:int"
    return is_number and node.value.isdecimal() and whole_number(node.value) is None


def nodes(root: Any, follow: bool = False) -> Iterator[Any]:
    """Every node below a root, in the order of the text."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if follow:
            node = target_of(node)
        yield node
        if isinstance(node, yaml.MappingNode):
            stack += [child for pair in reversed(node.value) for child in reversed(pair)]
        elif isinstance(node, yaml.SequenceNode):
            stack += reversed(node.value)


def plain(node: Any) -> Any:
    """A node as plain objects, every scalar as its text, nothing shared."""
    node = target_of(node)
    if isinstance(node, yaml.MappingNode):
        return {_key(key): plain(value) for key, value, _ in effective(node)}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    return node.value if node is not None else None


def _key(node: Any) -> Any:
    value = plain(node)
    return value if isinstance(value, str) else repr(value)
