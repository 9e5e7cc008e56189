"""Edit a config by spans, and prove by reading it again that it means what was meant."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import yaml

from pedl2det.analysis.config import Config, Entry, KeyPath
from pedl2det.analysis.experiment import changes as ch
from pedl2det.edits import yaml_text
from pedl2det.edits.spans import Overlap, Span, apply
from pedl2det.findings import Unreadable


class NotEdited(Exception):  # noqa: N818 - describes the text
    """A config is written in a way that no edit keeps the meaning of."""


def edited(config: Config, changes: Sequence[ch.Change]) -> str:
    """Return the text of a config with its changes made, or raise.

    Args:
        config: the config.
        changes: what to change; a change below a key that another one removes has no effect.

    Raises:
        NotEdited: read again, the text would not mean what the changes mean.
    """
    changes = _lasting(changes)
    if not changes:
        return config.text
    try:
        text = apply(config.text, set_of(spans(config, changes)))
        result = Config.of(text).value()
    except Unreadable as error:
        raise NotEdited(f"the edited text cannot be read: {error}") from None
    except (Overlap, yaml_text.NoPlace) as error:
        raise NotEdited(str(error)) from None
    except RecursionError:
        raise NotEdited("nested too deeply to be edited") from None
    if result != meant(config.value(), changes):
        raise NotEdited("the edited text would mean something else")
    return text


def _lasting(changes: Sequence[ch.Change]) -> list[ch.Change]:
    """The changes without repetitions and without those of what another one removes."""
    gone = {one.path for one in changes if isinstance(one, ch.Delete | ch.Flatten)}

    def lasts(change: ch.Change) -> bool:
        is_removal = isinstance(change, ch.Delete | ch.Flatten)
        around = range(
            1, len(change.path) + (not is_removal and not isinstance(change, ch.Comment))
        )
        return not any(change.path[:length] in gone for length in around)

    return [change for change in dict.fromkeys(changes) if lasts(change)]


def set_of(all_spans: Iterable[Span]) -> list[Span]:
    """The spans without repetitions: a scalar behind aliases has several paths, and one place."""
    return list(dict.fromkeys(all_spans))


def spans(config: Config, changes: Sequence[ch.Change]) -> Iterator[Span]:
    """The spans that make changes, in a config whose changed places are all its own.

    At one place, the end of an inner mapping comes first, and a comment on the next key last.
    """
    inserted: dict[KeyPath, list[ch.Insert]] = defaultdict(list)
    deleted: dict[KeyPath, list[ch.Delete]] = defaultdict(list)
    for change in changes:
        if isinstance(change, ch.Insert):
            inserted[change.path].append(change)
        elif isinstance(change, ch.Delete):
            deleted[change.path[:-1]].append(change)
    for path, inserts in sorted(inserted.items(), key=lambda one: -len(one[0])):
        yield _insert(config, path, inserts)
    for change in changes:
        if not isinstance(change, ch.Insert | ch.Delete):
            yield from _spans(config, change)
    for path, deletes in deleted.items():
        yield from _delete(config, path, deletes)


def _spans(config: Config, change: ch.Change) -> Iterator[Span]:
    match change:
        case ch.Comment((), lines):
            yield Span(0, 0, yaml_text.comment_lines(config, lines, 0))
        case ch.Comment(path, lines):
            yield _comment(config, path, lines)
        case ch.Rename(path, name):
            yield _key(_entry(config, path), name)
        case ch.Replace(path, text):
            entry = _entry(config, path)
            yield _scalar(config, entry, yaml_text.as_written(entry.value, text))
        case ch.Nest(path, name, inner, text):
            yield from _nest(config, _entry(config, path), name, inner, text)
        case ch.Flatten(path, name, text):
            yield from _flatten(config, _entry(config, path), name, text)


def _entry(config: Config, path: KeyPath) -> Entry:
    entry = config.entry(*path)
    if entry is None:
        raise yaml_text.NoPlace(f"{'.'.join(path)} has no place of its own")
    return entry


def _key(entry: Entry, name: str) -> Span:
    key = entry.key
    written = yaml_text.as_written(key, name)
    return Span(key.start_mark.index, key.end_mark.index, written)


def _scalar(config: Config, entry: Entry, text: str) -> Span:
    start, end = config.source(entry.value)
    if start == end:
        raise yaml_text.NoPlace(f"{entry.name} has no value")
    return Span(start, end, text)


def _nest(config: Config, entry: Entry, name: str, inner: str, text: str) -> Iterator[Span]:
    below = yaml_text.as_written(entry.key, inner)
    if entry.in_flow:
        yield _key(entry, name)
        yield _scalar(config, entry, f"{{{below}: {text}}}")
        return
    indent = " " * (entry.key.start_mark.column + yaml_text.indent(config))
    key = yaml_text.as_written(entry.key, name)
    start, end = entry.key.start_mark.index, entry.key.end_mark.index
    yield Span(start, end, f"{key}:{config.newline}{indent}{below}")
    yield _scalar(config, entry, text)


def _flatten(config: Config, entry: Entry, name: str, text: str) -> Iterator[Span]:
    """Write a mapping as one scalar; comments on its lines follow the scalar."""
    start, end = entry.key.end_mark.index, yaml_text.end_of(entry.value)
    comments = re.findall(r"(?:^|\s)(#[^\r\n]*)", config.text[start:end])
    written = yaml_text.as_written(entry.key, text) if entry.in_flow else text
    yield _key(entry, name)
    yield Span(start, end, f": {written}" + "".join(f"  {one}" for one in comments))


def _comment(config: Config, path: KeyPath, lines: tuple[str, ...]) -> Span:
    """Comments go above the key, or above the first key around it that begins a line."""
    for length in range(len(path), 0, -1):
        entry = _entry(config, path[:length])
        start = entry.key.start_mark.index
        line = config.text.rfind("\n", 0, start) + 1
        if not entry.in_flow and not config.text[line:start].strip(" "):
            column = entry.key.start_mark.column
            return Span(line, line, yaml_text.comment_lines(config, lines, column))
    raise yaml_text.NoPlace("a comment has no line of its own here")


def _insert(config: Config, path: KeyPath, inserts: list[ch.Insert]) -> Span:
    pairs = [(one.name, one.text) for one in inserts]
    node = _entry(config, path).value if path else config.root
    if not isinstance(node, yaml.MappingNode):
        raise yaml_text.NoPlace(f"{'.'.join(path)} is no mapping")
    if node.flow_style or not node.value:
        return yaml_text.into_braces(config, node, pairs)
    if not path:
        return yaml_text.at_end(config, pairs)
    return yaml_text.below(config, node, pairs)


def _delete(config: Config, path: KeyPath, deletes: list[ch.Delete]) -> Iterator[Span]:
    node: Any = _entry(config, path).value if path else config.root
    gone = {one.path[-1]: one for one in deletes}
    if not node.flow_style:
        for key, value in node.value:
            if key.value in gone:
                yield yaml_text.without_lines(config, key, value, gone[key.value].comments)
        return
    yield from yaml_text.without_pairs(node, set(gone))
    lines = [line for one in deletes for line in one.comments]
    if lines:
        yield _comment(config, path, tuple(lines))


#: Values change before the keys on the way to them do.
_ORDER = (ch.Comment, ch.Replace, ch.Delete, ch.Insert, ch.Flatten, ch.Nest, ch.Rename)


def meant(value: Any, changes: Sequence[ch.Change]) -> Any:
    """Make changes to the plain value of a config, and return it.

    Args:
        value: the value; scalars are texts. It is changed.
        changes: the changes.
    """
    for change in sorted(changes, key=lambda one: (_ORDER.index(type(one)), -len(one.path))):
        _change(value, change)
    return value


def _change(root: Any, change: ch.Change) -> None:
    match change:
        case ch.Replace(path, text):
            parent = _at(root, path[:-1])
            parent[int(path[-1]) if isinstance(parent, list) else path[-1]] = text
        case ch.Insert(path, name, text):
            _at(root, path)[name] = _read(text)
        case ch.Delete(path):
            del _at(root, path[:-1])[path[-1]]
        case ch.Flatten(path, name, text):
            _renamed(root, path, name, text)
        case ch.Nest(path, name, inner, text):
            _renamed(root, path, name, {inner: text})
        case ch.Rename(path, name):
            parent = _at(root, path[:-1])
            _renamed(root, path, name, parent[path[-1]])


def _renamed(root: Any, path: KeyPath, name: str, value: Any) -> None:
    parent = _at(root, path[:-1])
    del parent[path[-1]]
    parent[name] = value


def _at(root: Any, path: KeyPath) -> Any:
    for name in path:
        root = root[int(name)] if isinstance(root, list) else root[name]
    return root


def _read(text: str) -> Any:
    return Config(text, yaml.compose(text, Loader=yaml.SafeLoader)).value()
