"""Scripts of the Native API of early Determined, which call ``keras.init(config)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.analysis.source import Source

INITS = (
    "determined.experimental.keras.init",
    "determined.keras.init",
    "determined.keras.experimental.init",
)

CREATES = ("determined.experimental.create", "determined.create")


def is_native(source: Source) -> bool:
    """Whether a file trains by the Native API."""
    return next(init_calls(source), None) is not None


def init_calls(source: Source) -> Iterator[ast.Call]:
    """The calls of ``keras.init``."""
    for call in source.names.of(ast.Call):
        if source.names.qualified(call.func) in INITS:
            yield call


def create_calls(source: Source) -> Iterator[ast.Call]:
    """The calls of ``determined.experimental.create``."""
    for call in source.names.of(ast.Call):
        if source.names.qualified(call.func) in CREATES:
            yield call


def may_be_native(data: bytes) -> bool:
    """Whether the bytes of a file have the words of the Native API."""
    return b"determined" in data and b"init" in data and b".fit" in data
