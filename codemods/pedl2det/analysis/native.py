"""Scripts of the Native API of early Determined, which call ``keras.init(config)``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from pedl2det.analysis.source import Source

INITS = (
    "determined.experimental.keras.init",
    "determined.keras.init",
    "determined.keras.experimental.init",
)

CREATES = ("determined.experimental.create", "determined.create")


def is_native(source: Source) -> bool:
    """Whether a file trains by the Native API."""
    return next(calls_of(source, INITS), None) is not None


def calls_of(source: Source, functions: Collection[str]) -> Iterator[ast.Call]:
    """The calls of some functions, by their dotted names."""
    for call in source.names.of(ast.Call):
        if source.names.qualified(call.func) in functions:
            yield call


def may_be_native(data: bytes) -> bool:
    """Whether the bytes of a file have the words of the Native API."""
    return b"determined" in data and b"init" in data and b".fit" in data
