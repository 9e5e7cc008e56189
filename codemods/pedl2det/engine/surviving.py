"""Drop the fixes and edits whose place another fix replaces."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pedl2det import fixes as fx
from pedl2det.analysis.source import Source

_WHOLE = (fx.Replace, fx.ReplaceStatement, fx.DropArgument, fx.DropParameter)

#: The edits of each file, by the id of its source.
Edits = dict[int, list[Any]]


def surviving(fixes: Iterable[fx.Fix]) -> tuple[list[fx.Fix], Edits]:
    """Return the fixes that still have a place, outer places first, and their edits."""
    fixes = _in_order(_without_rivals(list(fixes)))
    takers = _takers(fixes)
    kept = [fix for fix in fixes if not _is_taken(fix, fix.node, takers)]
    every = [edit for fix in kept for _, edit in fix.located]
    dropped = {edit.node for edit in every if isinstance(edit, fx.DropArgument)}
    edits: Edits = defaultdict(list)
    for fix in kept:
        for source, edit in fix.located:
            is_dropped = isinstance(edit, fx.Replace) and edit.node in dropped
            if not is_dropped and not _is_taken(fix, fx.place_of(edit), takers):
                edits[id(source)].append(edit)
    return kept, edits


def _in_order(fixes: Iterable[fx.Fix]) -> list[fx.Fix]:
    """The fixes, outer places first."""
    return sorted(fixes, key=lambda fix: (str(fix.source.path), *_extent(fix.node)))


def _takers(fixes: Sequence[fx.Fix]) -> dict[ast.AST, list[fx.Fix]]:
    """The fixes, of fixes in order, that take each place away: no hole of theirs keeps it."""
    takers: dict[ast.AST, list[fx.Fix]] = defaultdict(list)
    for fix in fixes:
        if not _is_taken(fix, fix.node, takers):
            for source, edit in fix.located:
                if isinstance(edit, _WHOLE):
                    for node in _taken(source, edit) - _kept(fix):
                        takers[node].append(fix)
    return takers


def _without_rivals(fixes: Sequence[fx.Fix]) -> list[fx.Fix]:
    """The fixes without those that only rename what a faithful one replaces."""
    faithful = {
        edit.node
        for fix in fixes
        if fix.form is fx.Form.FAITHFUL
        for edit in fix.edits
        if isinstance(edit, fx.Replace) and edit.node is fix.node
        if edit.node not in edit.holes.values()
    }
    return [fix for fix in fixes if fix.form is fx.Form.FAITHFUL or fix.node not in faithful]


def _kept(fix: fx.Fix) -> set[ast.AST]:
    """The nodes that a fix moves to another place: one edit takes them, a hole of another keeps."""
    holes = [
        (source, hole)
        for source, edit in fix.located
        for hole in getattr(edit, "holes", {}).values()
        if hole is not getattr(edit, "node", None)
    ]
    return {node for source, hole in holes for node in source.names.below(hole)}


def _is_taken(fix: fx.Fix, node: ast.AST, takers: dict[ast.AST, list[fx.Fix]]) -> bool:
    return any(other is not fix for other in takers.get(node, ()))


def _extent(node: ast.AST) -> tuple[int, int, int]:
    """Where a node starts, and how much it holds: outer nodes come first."""
    lines = getattr(node, "end_lineno", 10**9) or 10**9
    columns = getattr(node, "end_col_offset", 10**9) or 10**9
    return (getattr(node, "lineno", 0), -lines, -columns)


def _taken(source: Source, edit: Any) -> set[ast.AST]:
    """The nodes below an edited place that no hole keeps."""
    holes = list(getattr(edit, "holes", {}).values())
    kept = {inner for hole in holes for inner in source.names.below(hole)}
    if edit.node in holes:
        return set()
    below = (
        ast.walk(edit.node)
        if isinstance(edit.node, ast.keyword)
        else (source.names.below(edit.node))
    )
    return {node for node in below if node not in kept and node is not edit.node}
