"""Account for every legacy name: rewritten, marked, or left because the user wants it.

The count is made on the new texts: they are parsed again and searched for legacy names, whatever
the rules believe to have done.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.engine.marks import is_marked
from pedl2det.engine.places import statement_of
from pedl2det.fixes import Fix, Remark, place_of


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
    imports: list[Reference] = []
    fate: dict[tuple[Path, str], set[str]] = {}
    for one in legacy(trial):
        path = one.source.path
        if one.node.lineno in one.source.skipped:
            found.suppressed[path] += 1
            fate.setdefault((path, _root(one.node)), set()).add("suppressed")
        elif one.is_import:
            imports.append(one)
        elif _has_mark(one):
            found.marked[path] += 1
            fate.setdefault((path, _root(one.node)), set()).add("marked")
        elif allowed.get((path, one.dotted), 0) > 0:
            allowed[path, one.dotted] -= 1
            found.suppressed[path] += 1
            fate.setdefault((path, _root(one.node)), set()).add("suppressed")
        else:
            found.open.append(one)
            fate.setdefault((path, _root(one.node)), set()).add("open")
    unwanted = {path for path, _ in allowed} | {one.source.path for one in dropped}
    for one in imports:
        _sort_import(one, fate, unwanted, found)
    return found


def _sort_import(
    one: Reference,
    fate: Mapping[tuple[Path, str], set[str]],
    unwanted: Set[Path],
    found: Remaining,
) -> None:
    """An import shares the fate of what it is used for."""
    path = one.source.path
    assert isinstance(one.node, ast.alias)
    local = one.node.asname or one.node.name.partition(".")[0]
    fates = fate.get((path, local), set())
    if _has_mark(one) or fates & {"marked", "open"}:
        found.marked[path] += 1
    elif fates == {"suppressed"} or (not fates and path in unwanted):
        found.suppressed[path] += 1
    else:
        found.open.append(one)


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
