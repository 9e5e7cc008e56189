"""Drop the fixes and edits whose place another fix replaces."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pedl2det import fixes as fx
from pedl2det.analysis.source import Source

_WHOLE = (fx.Replace, fx.ReplaceStatement, fx.DropArgument, fx.DropParameter)

#: The edits of each file.
Edits = dict[Path, list[Any]]
#: The fixes that take a place away.
_Takers = dict[ast.AST, list[fx.Fix]]


def surviving(fixes: Iterable[fx.Fix]) -> tuple[list[fx.Fix], Edits]:
    """Return the fixes that still have a place, outer places first, and their edits."""
    ordered = sorted(_without_rivals(list(fixes)), key=_extent)
    takers = _takers(ordered)
    kept = [fix for fix in ordered if not _is_taken(fix, fix.node, takers)]
    every = [edit for fix in kept for _, edit in fix.located]
    dropped = {edit.node for edit in every if isinstance(edit, fx.DropArgument)}
    edits: Edits = defaultdict(list)
    for fix in kept:
        for source, edit in fix.located:
            is_dropped = isinstance(edit, fx.Replace) and edit.node in dropped
            if not is_dropped and not _is_taken(fix, fx.place_of(edit), takers):
                edits[source.path].append(edit)
    return kept, edits


def _extent(fix: fx.Fix) -> tuple[str, int, int, int]:
    """What fixes are sorted by: where they start, and how much they hold, outer ones first."""
    node: Any = fix.node
    lines = getattr(node, "end_lineno", 10**9) or 10**9
    columns = getattr(node, "end_col_offset", 10**9) or 10**9
    return str(fix.source.path), getattr(node, "lineno", 0), -lines, -columns


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


def _takers(fixes: Iterable[fx.Fix]) -> _Takers:
    """The fixes, of fixes in order, that take each place away: no hole of theirs keeps it."""
    takers: _Takers = defaultdict(list)
    for fix in fixes:
        if _is_taken(fix, fix.node, takers):
            continue
        moved = {  # one edit takes them, a hole of another keeps them
            node
            for source, edit in fix.located
            for hole in getattr(edit, "holes", {}).values()
            if hole is not getattr(edit, "node", None)
            for node in source.names.below(hole)
        }
        for source, edit in fix.located:
            if isinstance(edit, _WHOLE):
                for node in _taken(source, edit) - moved:
                    takers[node].append(fix)
    return takers


def _is_taken(fix: fx.Fix, node: ast.AST, takers: _Takers) -> bool:
    return any(other is not fix for other in takers.get(node, ()))


def _taken(source: Source, edit: Any) -> set[ast.AST]:
    """The nodes below an edited place that no hole of the edit keeps."""
    holes = list(getattr(edit, "holes", {}).values())
    if edit.node in holes:
        return set()
    kept = {inner for hole in holes for inner in source.names.below(hole)}
    is_keyword = isinstance(edit.node, ast.keyword)
    below = ast.walk(edit.node) if is_keyword else source.names.below(edit.node)
    return set(below) - kept - {edit.node}
