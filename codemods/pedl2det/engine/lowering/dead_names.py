"""Names that nothing reads any more, because the trial does not heed what ``fit`` was told."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.cutting import Line, Parts
from pedl2det.engine.lowering.recording import Recorded
from pedl2det.engine.lowering.staying import is_constant


def without_dead_names(parts: Parts, records: Sequence[Recorded]) -> Parts:
    """Leave out assignments of plain values that only dropped arguments of ``fit`` read."""
    source = parts.locator.source
    kept = {
        id(node)
        for record in records
        for given in record.holes.values()
        for node in ast.walk(given.node)
    }
    gone = {
        id(node)
        for call in parts.fits
        for value in [*call.args, *(one.value for one in call.keywords)]
        for node in ast.walk(value)
        if id(node) not in kept
    }
    if any(given.code for record in records for given in record.holes.values()):
        return parts  # read by its name in a dict of options
    lines = [*parts.staying, *parts.before]
    dropped: set[int] = set()
    while True:
        more = {
            id(line.node)
            for line in lines
            if id(line.node) not in dropped
            and (name := _plain(parts, line)) is not None
            and _only_read_in(source, name, gone)
        }
        if not more:
            break
        dropped |= more
        for line in lines:
            if id(line.node) in more:
                gone |= {id(node) for node in ast.walk(line.node)}
    if not dropped:
        return parts
    return replace(
        parts,
        staying=tuple(line for line in parts.staying if id(line.node) not in dropped),
        before=tuple(line for line in parts.before if id(line.node) not in dropped),
    )


def _plain(parts: Parts, line: Line) -> str | None:
    """The name that a statement gives a plain value, and that nothing else binds."""
    match line.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            bound = parts.locator.source.names.module_bindings(name)
            plain = is_constant(parts.locator.source, value)
            return name if plain and len(bound) == 1 else None
    return None


def _only_read_in(source: Source, name: str, gone: set[int]) -> bool:
    """Whether a name of the module is read, and nowhere but in code that goes."""
    reads = [
        node
        for node in source.names.of(ast.Name)
        if node.id == name
        and isinstance(node.ctx, ast.Load)
        and source.names.binder(node) is source.tree
    ]
    return bool(reads) and all(id(node) in gone for node in reads)
