"""Changes of a config, as values: what shall be there, not how it is written.

Paths are those of the config before any change. The changes of one config do not depend on their
order, but for insertions into one mapping.
"""

from __future__ import annotations

from dataclasses import dataclass

from pedl2det.analysis.config import KeyPath


@dataclass(frozen=True)
class Rename:
    """Give a key another name."""

    path: KeyPath
    name: str


@dataclass(frozen=True)
class Replace:
    """Give a scalar another text."""

    path: KeyPath
    text: str


@dataclass(frozen=True)
class Nest:
    """Replace ``key: scalar`` by ``name: {inner: text}``."""

    path: KeyPath
    name: str
    inner: str
    text: str


@dataclass(frozen=True)
class Flatten:
    """Replace ``key: {...}`` by ``name: text``."""

    path: KeyPath
    name: str
    text: str


@dataclass(frozen=True)
class Insert:
    """Add a key to the end of a mapping; an empty path adds it to the document.

    The value is written as it is given: a scalar, or a mapping in braces.
    """

    path: KeyPath
    name: str
    text: str


@dataclass(frozen=True)
class Delete:
    """Remove a key and its value.

    Attributes:
        path: the key.
        comments: lines of comment to write in its place.
    """

    path: KeyPath
    comments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comment:
    """Write lines of comment above a key; an empty path means the top of the document."""

    path: KeyPath
    lines: tuple[str, ...]


Change = Rename | Replace | Nest | Flatten | Insert | Delete | Comment
