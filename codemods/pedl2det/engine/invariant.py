"""Account for every legacy name: rewritten, marked, or left because the user wants it.

The count is made on the new texts: they are parsed again and searched for legacy names, whatever
the rules believe to have done.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pedl2det_names as names
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.engine.marks import is_marked
from pedl2det.engine.places import statement_of
from pedl2det.fixes import Fix, Remark, place_of

_Fate = Literal["marked", "suppressed", "open"]


@dataclass
class Remaining:
    """The legacy names of new texts.

    Attributes:
        marked: names with a mark, by file.
        suppressed: names that the user wants left, by file.
        open: names that nothing accounts for.
    """

    marked: Counter[Path] = field(default_factory=Counter)
    suppressed: Counter[Path] = field(default_factory=Counter)
    open: list[Reference] = field(default_factory=list)

    def add(self, one: Reference, fate: _Fate) -> None:
        """Count a name, or take it in as one that nothing accounts for."""
        if fate == "open":
            self.open.append(one)
        else:
            (self.marked if fate == "marked" else self.suppressed)[one.source.path] += 1


def legacy(trial: Trial) -> list[Reference]:
    """Return every legacy name of a harness in a project."""
    return [one for one in trial.all_references if names.is_legacy(one.dotted)]


def remaining(trial: Trial, dropped: Collection[Fix | Remark]) -> Remaining:
    """Sort the legacy names of new texts.

    Args:
        trial: the new texts.
        dropped: fixes that the user does not want; they would have rewritten some of the names.
    """
    allowed = _answered(dropped)
    found = Remaining()
    fates: dict[tuple[Path, str], set[_Fate]] = defaultdict(set)
    imports = []
    for one in legacy(trial):
        if one.is_import and one.node.lineno not in one.source.skipped:
            imports.append(one)
        else:
            fate = _fate(one, allowed)
            found.add(one, fate)
            fates[one.source.path, _root(one.node)].add(fate)
    unwanted = {path for path, _ in allowed} | {one.source.path for one in dropped}
    for one in imports:
        path = one.source.path
        found.add(one, _fate_of_import(one, fates[path, _root(one.node)], path in unwanted))
    return found


def _fate(one: Reference, allowed: Counter[tuple[Path, str]]) -> _Fate:
    if one.node.lineno in one.source.skipped:
        return "suppressed"
    if _has_mark(one):
        return "marked"
    if allowed[one.source.path, one.dotted] > 0:
        allowed[one.source.path, one.dotted] -= 1
        return "suppressed"
    return "open"


def _fate_of_import(one: Reference, uses: set[_Fate], is_unwanted: bool) -> _Fate:
    """An import shares the fate of what it is used for."""
    if _has_mark(one) or uses & {"marked", "open"}:
        return "marked"
    if uses or is_unwanted:
        return "suppressed"
    return "open"


def _root(node: ast.AST) -> str:
    """The local name with which an expression begins, or that an import binds."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.alias):
        return node.asname or node.name.partition(".")[0]
    return node.id if isinstance(node, ast.Name) else ""


def _has_mark(one: Reference) -> bool:
    statement = statement_of(one.source, one.node)
    return statement is not None and is_marked(one.source, statement)


def _answered(dropped: Collection[Fix | Remark]) -> Counter[tuple[Path, str]]:
    """The legacy names that dropped fixes would have rewritten, by file."""
    found: Counter[tuple[Path, str]] = Counter()
    seen: set[ast.AST] = set()
    for one in dropped:
        places = [(one.source, one.node)]
        if isinstance(one, Fix):
            places += [(source, place_of(edit)) for source, edit in one.located]
        for source, node in places:
            for reference in _within(source, node):
                if reference not in seen:
                    seen.add(reference)
                    dotted = source.names.qualified(reference)
                    found[source.path, dotted or ""] += 1
    return found


def _within(source: Source, node: ast.AST) -> list[ast.AST]:
    """The legacy names in the statement of a node."""
    statement = statement_of(source, node)
    if statement is None or isinstance(node, ast.Module):
        return []
    inner: list[ast.AST] = (
        [part for base in statement.bases for part in source.names.below(base)]
        if isinstance(statement, ast.ClassDef)
        else source.names.below(statement)
    )
    return [
        one
        for one in inner
        if isinstance(one, ast.Name | ast.Attribute)
        and names.is_legacy(source.names.qualified(one) or "")
    ]
