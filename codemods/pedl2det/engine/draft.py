"""Put the fixes of all rules together into new texts of a project's files.

Fixes come as values and in no order. What they need together is worked out here: which fixes still
have a place, which functions get the context, what the constructor says, what is imported, and
which pieces ``legacy_keras.py`` holds.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pedl2det_names as names
from pedl2det import fixes as fx
from pedl2det.analysis.flow import Function
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.edits.apply import applied
from pedl2det.edits.imports import Wanted, fitted
from pedl2det.edits.unused import without_unused
from pedl2det.support import library

#: The statement that makes the context known to ``legacy_keras``.
BIND = f"{library.MODULE}.bind({{context}})"

_WHOLE = (fx.Replace, fx.ReplaceStatement, fx.DropArgument, fx.DropParameter)


@dataclass
class Draft:
    """What the fixes make of a project.

    Attributes:
        texts: the new text of each file that changes, by path.
        support: the pieces of ``legacy_keras.py`` that the new texts use.
        fixes: the fixes that were applied.
    """

    texts: dict[Path, str] = field(default_factory=dict)
    support: frozenset[str] = frozenset()
    fixes: tuple[fx.Fix, ...] = ()


def draft(trial: Trial, fixes: Iterable[fx.Fix]) -> Draft:
    """Apply the fixes of all rules to one project.

    Raises:
        Overlap: two fixes replace the same place; a defect of ours.
        NotLocated: an edit's node has no place of its own; a defect of ours.
    """
    fixes = _without_rivals(list(fixes))
    takers = _takers(fixes)
    kept = [fix for fix in _in_order(fixes) if not _is_taken(fix, fix.node, takers)]
    constructor = list(dict.fromkeys(line for fix in kept for line in fix.constructor))
    every = [edit for fix in kept for _, edit in fix.located]
    dropped = {edit.node for edit in every if isinstance(edit, fx.DropArgument)}
    edits: dict[int, list[fx.Edit]] = defaultdict(list)
    for fix in kept:
        for source, edit in fix.located:
            is_dropped = isinstance(edit, fx.Replace) and edit.node in dropped
            if not is_dropped and not _is_taken(fix, _place(edit), takers):
                edits[id(source)].append(edit)
    written = [getattr(edit, "code", "") for found in edits.values() for edit in found]
    used = "\n".join([*written, *constructor])
    support = {name for fix in kept for name in fix.support if f"{library.MODULE}.{name}" in used}
    if library.needs_context(support):
        constructor.insert(0, BIND)
    contexts, functions = _thread_context(trial, edits)
    for found in edits.values():
        # What is inserted last comes first: the constructor's statements, which bind the context.
        found.sort(key=lambda edit: fx.CONSTRUCTOR in getattr(edit, "code", ""))
        filled = [_filled(trial, edit, constructor, functions, contexts) for edit in found]
        found[:] = [edit for edit in filled if edit is not None]
    imports = _imports_of(kept, bool(library.needs_context(support)))
    made = Draft(support=frozenset(support), fixes=tuple(kept))
    for source in trial.modules:
        mine = edits.get(id(source), [])
        if mine or imports[id(source)] or _imports_harness(source):
            wanted = Wanted(
                frozenset(imports[id(source)]),
                _is_old,
                names.is_legacy,
                frozenset(one.partition(".")[0] for one in trial.modules.by_name),
                source.path.name == "__init__.py",
            )
            tree = applied(source, mine, contexts)
            whole = tree.code
            text = without_unused(source, whole)
            text = fitted(source.text, text, wanted, tree if text == whole else None)
            if text != source.text:
                made.texts[source.path] = text
    return made


def _imports_harness(source: Source) -> bool:
    """Whether a file imports the old API, and so may import what it does not use."""
    return not source.skipped.whole and any(
        names.is_legacy(alias.name if isinstance(node, ast.Import) else f"{node.module}.x")
        for node in source.names.of(ast.Import, ast.ImportFrom)
        for alias in node.names
    )


def _is_old(dotted: str) -> bool:
    """Whether nothing but old code imports a name."""
    row = names.lookup(dotted)
    return names.is_legacy(dotted) or (row is not None and not row.changed and row.new != dotted)


def _in_order(fixes: Iterable[fx.Fix]) -> list[fx.Fix]:
    """The fixes, outer places first."""
    return sorted(fixes, key=lambda fix: (str(fix.source.path), *_extent(fix.node)))


def _takers(fixes: Sequence[fx.Fix]) -> dict[ast.AST, list[fx.Fix]]:
    """The fixes that take each place away: they replace what holds it, and no hole keeps it."""
    takers: dict[ast.AST, list[fx.Fix]] = defaultdict(list)
    for fix in _in_order(fixes):
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


def _place(edit: Any) -> ast.AST:
    """The node that an edit changes."""
    for name in ("node", "call", "function"):
        if hasattr(edit, name):
            node: ast.AST = getattr(edit, name)
            return node
    raise AssertionError(edit)


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


def _filled(
    trial: Trial,
    edit: Any,
    constructor: Sequence[str],
    functions: dict[Function, str],
    contexts: dict[ast.AST, str],
) -> Any:
    """An edit with what all edits together tell: the constructor, and who takes the context.

    None for a constructor that has nothing more to do.
    """
    code = getattr(edit, "code", None)
    if code is None:
        return edit
    is_member = isinstance(edit, fx.AddMember)
    own = "context" if is_member and fx.CONSTRUCTOR in code else fx.CONTEXT
    if is_member and own == fx.CONTEXT:
        own = f"self.{trial.context.attribute}"
    if fx.CONSTRUCTOR in code:
        if isinstance(edit, fx.InsertFirst | fx.InsertAfter):
            place = edit.node.body[0] if isinstance(edit, fx.InsertFirst) else edit.node
            access = trial.context.at(place)
            assert access is not None
            contexts[edit.node] = access.code
        lines = [one.replace(fx.CONTEXT, own) for one in constructor]
        code = _with_constructor(code, lines)
        if not code.strip():
            return None
    for token, function in (
        (fx.LOADERS_CONTEXT, trial.loaders),
        (fx.DOWNLOAD_CONTEXT, trial.download),
    ):
        handed = own if function in functions else ""
        if not handed:  # a lambda around a call without arguments
            code = re.sub(rf"lambda: (\w+)\({re.escape(token)}\)", r"\1", code)
        code = code.replace(token, handed)
    return edit if code == edit.code else replace(edit, code=code)


def _with_constructor(code: str, constructor: Sequence[str]) -> str:
    """A template with the constructor's statements in their place."""
    lines = []
    for line in code.split("\n"):
        if line.strip() == fx.CONSTRUCTOR:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + part for one in constructor for part in one.split("\n")]
        else:
            lines.append(line)
    return "\n".join(lines)


def _imports_of(fixes: Sequence[fx.Fix], binds: bool) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for fix in fixes:
        found[id(fix.source)] |= set(fix.imports)
        for source, edit in fix.located:
            if f"{library.MODULE}." in getattr(edit, "code", ""):
                found[id(source)].add(f"import {library.MODULE}")
            if binds and fx.CONSTRUCTOR in getattr(edit, "code", ""):
                found[id(source)].add(f"import {library.MODULE}")
    return found


def _thread_context(
    trial: Trial, edits: dict[int, list[fx.Edit]]
) -> tuple[dict[ast.AST, str], dict[Function, str]]:
    """The context's expression at each edit that asks for it, and the functions that take it.

    Functions that get it as a parameter, and the calls that hand it on, are added to the edits.
    """
    contexts: dict[ast.AST, str] = {}
    functions: dict[Function, str] = {}
    waiting = [edit for mine in edits.values() for edit in mine]
    while waiting:
        edit: Any = waiting.pop()
        if fx.CONTEXT not in getattr(edit, "code", ""):
            continue
        place = edit.call if isinstance(edit, fx.AddArgument) else edit.node
        inside = place
        if isinstance(edit, fx.InsertFirst):
            inside = edit.node.body[0]
        access = trial.context.at(inside)
        if access is None:
            raise AssertionError(f"no context at line {getattr(place, 'lineno', 0)}: {edit}")
        contexts[place] = access.code
        function = access.through
        if function is None or function in functions:
            continue
        functions[function] = access.code
        home = trial.modules.home(function)
        edits[id(home)].append(fx.AddParameter(function, access.code))
        for call in trial.flow.calls(function):
            handing = fx.AddArgument(call.node, fx.CONTEXT, first=True)
            edits[id(trial.modules.home(call.node))].append(handing)
            waiting.append(handing)
    return contexts, functions
