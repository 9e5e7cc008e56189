"""Edit a config by spans, and read it again to prove that it means what the edits mean."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.text_rules import Delete, Edit, Insert, Put, Span, replaced
from pedl2det.findings import Unreadable

_NUMBER = re.compile(r"[-+.\deE]+|true|false|null|\{.*\}")


class NotEdited(Exception):  # noqa: N818 - describes the text
    """A config is written in a way in which edits would change its meaning."""


def edited(config: Config, edits: Sequence[Edit]) -> str:
    """Return the text of a config with its edits made, or raise.

    An edit below a key that another one removes has no effect.

    Raises:
        NotEdited: read again, the text would not mean what the edits mean.
    """
    edits = _lasting(edits)
    try:
        spans = dict.fromkeys(_spans(config, edits))
        text = replaced(config.text, spans)  # an anchor's place has several paths
        result = Config.of(text).value()
    except (Unreadable, ValueError) as error:
        raise NotEdited(f"the edited text cannot be read: {error}") from None
    if result != _apply_to_value(config.value(), edits):
        raise NotEdited("the edited text would mean something else")
    return text


def _lasting(edits: Sequence[Edit]) -> list[Edit]:
    """The edits without those of keys that another one removes or flattens."""

    def removes(edit: Edit) -> bool:
        is_flat = isinstance(edit, Put) and edit.entry.is_mapping and edit.value is not None
        return is_flat or isinstance(edit, Delete)

    gone = {edit.path for edit in edits if removes(edit)}
    return [
        edit
        for edit in dict.fromkeys(edits)
        if not any(edit.path[:length] in gone for length in range(1, len(edit.path)))
        and (removes(edit) or isinstance(edit, Insert) or edit.path not in gone)
    ]


def _spans(config: Config, edits: Sequence[Edit]) -> Iterator[Span]:
    """The spans that make edits; at one place, the end of an inner mapping comes first."""
    inserted: dict[KeyPath, list[Insert]] = defaultdict(list)
    deleted: dict[KeyPath, dict[str, Delete]] = defaultdict(dict)
    for edit in edits:
        if isinstance(edit, Insert):
            inserted[edit.path[:-1]].append(edit)
        elif isinstance(edit, Delete):
            deleted[edit.path[:-1]][edit.path[-1]] = edit
    for path in sorted(inserted, key=len, reverse=True):
        yield _insert(config, path, inserted[path])
    for edit in edits:
        if isinstance(edit, Put):
            yield from _put(config, edit)
    for path, gone in deleted.items():
        yield from _delete(config, path, gone)


def _mapping(config: Config, path: KeyPath) -> Any:
    entry = config.entry(*path)
    node = entry.value if entry is not None else config.root
    if not isinstance(node, yaml.MappingNode):
        raise NotEdited(f"{'.'.join(path)} is no mapping")
    return node


def _put(config: Config, put: Put) -> Iterator[Span]:
    entry, text = put.entry, put.value
    name = _as_written(entry.key, put.name or put.path[-1])
    start, end = entry.key.start_mark.index, entry.key.end_mark.index
    if entry.is_mapping and text is not None:  # comments on its lines follow the text
        whole = _end(entry.value)
        comments = re.findall(r"(?:^|\s)(#[^\r\n]*)", config.text[end:whole])
        written = _as_written(entry.key, text) if entry.in_flow else text
        yield Span(start, whole, "  ".join([f"{name}: {written}", *comments]))
        return
    if text is not None:
        first, last = config.source(entry.value)
        inner = _as_written(entry.key, put.unit)
        if put.unit and entry.in_flow:
            text = f"{{{inner}: {text}}}"
        elif put.unit:
            column = entry.key.start_mark.column + _indentation(config)
            name += f":{config.newline}{' ' * column}{inner}"
        else:
            text = _as_written(entry.value, text)
        yield Span(first, last, text)
    if put.name is not None:
        yield Span(start, end, name)


def _insert(config: Config, path: KeyPath, inserts: list[Insert]) -> Span:
    """Add keys to the end of a mapping, in its style, or of the document."""
    node = _mapping(config, path)
    if node.flow_style or not node.value:
        at = len(config.text[: node.end_mark.index - 1].rstrip())
        quoted = node.value[-1][0] if node.value else None
        pairs = ", ".join(_pair(quoted, insert) for insert in inserts)
        comma = "" if not node.value else " " if config.text[at - 1] == "," else ", "
        return Span(at, at, comma + pairs)
    at = _line_end(config.text, _end_of_pair(*node.value[-1])) if path else len(config.text)
    column = " " * node.value[-1][0].start_mark.column
    lines = (f"{column}{insert.path[-1]}: {insert.value}{config.newline}" for insert in inserts)
    before = "" if config.text[:at].endswith("\n") else config.newline
    return Span(at, at, before + "".join(lines))


def _pair(quoted: yaml.Node | None, insert: Insert) -> str:
    """A key and value for a ``{...}``, quoted as the keys that are there."""
    name, text = _as_written(quoted, insert.path[-1]), insert.value
    return f"{name}: {text if _NUMBER.fullmatch(text) else _as_written(quoted, text)}"


def _delete(config: Config, path: KeyPath, gone: Mapping[str, Delete]) -> Iterator[Span]:
    """Remove keys: their lines with the comments on them; from a ``{...}``, with their commas."""
    node = _mapping(config, path)
    pairs = node.value
    if not node.flow_style:
        for key, value in pairs:
            if key.value not in gone:
                continue
            start = config.text.rfind("\n", 0, key.start_mark.index) + 1
            lines = _comment_lines(config, gone[key.value].comments, key.start_mark.column)
            yield Span(start, _line_end(config.text, _end_of_pair(key, value)), lines)
        return
    kept = [index for index, (key, _) in enumerate(pairs) if key.value not in gone]
    last = kept[-1] if kept else -1
    for index in range(last):
        if index not in kept:
            yield Span(pairs[index][0].start_mark.index, pairs[index + 1][0].start_mark.index, "")
    if last + 1 < len(pairs):
        start = _end_of_pair(*pairs[last]) if kept else node.start_mark.index + 1
        end = _end_of_pair(*pairs[-1]) if kept else node.end_mark.index - 1
        yield Span(start, end, "")
    comments = [line for edit in gone.values() for line in edit.comments]
    yield Span(0, 0, _comment_lines(config, comments, 0))


def _comment_lines(config: Config, lines: Iterable[str], column: int) -> str:
    return "".join(f"{' ' * column}# {line}{config.newline}" for line in lines)


def _as_written(node: yaml.Node | None, text: str) -> str:
    """A text in the quotes of a scalar node."""
    quote = node.style if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') else ""
    return f"{quote}{text}{quote}"


def _indentation(config: Config) -> int:
    """By how many columns the first nested mapping of a config is indented."""
    for entry in config.entries():
        below = config.entries(*entry.path) if entry.is_mapping else []
        if below and not below[0].in_flow:
            column: int = below[0].key.start_mark.column - entry.key.start_mark.column
            return max(column, 1)
    return 2


def _end(node: yaml.Node) -> int:
    """Where the text of a node ends; a block's end mark is at what follows it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def _end_of_pair(key: yaml.Node, value: yaml.Node) -> int:
    """Where a key and its value end; a missing value may be marked before or after its line."""
    is_missing = isinstance(value, yaml.ScalarNode) and not value.value and not value.style
    return int(key.end_mark.index) if is_missing else max(key.end_mark.index, _end(value))


def _line_end(text: str, at: int) -> int:
    """The start of the line after the one in which a value ends; a block scalar ends with it."""
    end = text.find("\n", max(at - 1, 0))
    return len(text) if end < 0 else end + 1


def _apply_to_value(value: Any, edits: Sequence[Edit]) -> Any:
    """Make edits in the plain value of a config, inner ones first, and return it."""

    def order(edit: Edit) -> tuple[int, int]:
        if isinstance(edit, Put):
            return -len(edit.path), 2 if edit.name is not None else 0
        return -len(edit.path), int(isinstance(edit, Insert))

    for edit in sorted(edits, key=order):
        parent = value
        for name in edit.path[:-1]:
            parent = parent[int(name)] if isinstance(parent, list) else parent[name]
        key: Any = int(edit.path[-1]) if isinstance(parent, list) else edit.path[-1]
        if isinstance(edit, Insert):
            parent[key] = Config.of(edit.value).value()
            continue
        old = parent[key]
        if isinstance(edit, Delete) or edit.name is not None:
            del parent[key]
        if isinstance(edit, Put):
            new = old if edit.value is None else edit.value
            parent[edit.name or key] = {edit.unit: new} if edit.unit else new
    return value
