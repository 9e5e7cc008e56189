"""What changes mean for the value of a config."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml

from pedl2det.analysis.config import Config, KeyPath
from pedl2det.analysis.experiment import changes as ch

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
