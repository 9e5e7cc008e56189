"""Combine the fixes of all rules into new texts of a project's files.

Fixes come in no particular order. This module decides which of them still apply, which functions
get the context, what the constructor contains, what is imported, and which pieces
``legacy_keras.py`` contains.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pedl2det_names as names
from pedl2det import fixes as fx
from pedl2det import support as library
from pedl2det.analysis.flow.values import Function
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.edits.apply import apply
from pedl2det.edits.flakes import without_unused
from pedl2det.edits.imports import Wanted, fit_imports
from pedl2det.engine.migration import Migration

#: The statement that makes the context known to ``legacy_keras``.
BIND = f"{library.MODULE}.bind({{context}})"
_WHOLE = (fx.Replace, fx.ReplaceStatement, fx.Drop)

#: The edits of each file.
Edits = dict[Path, list[Any]]
#: The fixes that remove each node.
_Takers = dict[ast.AST, list[fx.Fix]]


def draft(migration: Migration) -> None:
    """Apply the fixes of all rules; record the new texts, the pieces they use, and what applied."""
    trial = migration.trial
    fixes, edits = surviving(migration.fixes)
    constructor = list(dict.fromkeys(line for fix in fixes for line in fix.constructor))
    written = [getattr(edit, "code", "") for group in edits.values() for edit in group]
    used = "\n".join([*written, *constructor])
    pieces = {name for fix in fixes for name in fix.support}
    support = frozenset(name for name in pieces if f"{library.MODULE}.{name}" in used)
    binds = library.needs_context(support)
    lines = [BIND, *constructor] if binds else constructor
    contexts, functions = thread_context(trial, edits)
    for group in edits.values():
        # What is inserted last ends up first: the constructor's statements, which bind the context.
        group.sort(key=lambda edit: fx.CONSTRUCTOR in getattr(edit, "code", ""))
        filled = [_fill(trial, edit, lines, functions, contexts) for edit in group]
        group[:] = [edit for edit in filled if edit is not None]
    imports = _imports_of(fixes, binds)
    project = frozenset(name.partition(".")[0] for name in trial.modules.by_name)
    for source in trial.modules:
        file_edits, added = edits.get(source.path, []), frozenset(imports[source.path])
        wanted = Wanted(added, _is_old, project, source.path.name == "__init__.py")
        # The old names that it imports may have lost their last use.
        if not (file_edits or added or any(map(wanted.is_gone, source.names.imported()))):
            continue
        new = without_unused(source, apply(source, file_edits, contexts))
        text = fit_imports(source, new, wanted)
        if text != source.text:
            migration.texts[source.path] = text
    migration.support, migration.fixes = support, fixes


def _is_old(dotted: str) -> bool:
    """Whether only old code imports a name."""
    row = names.lookup(dotted)
    return names.is_legacy(dotted) or (row is not None and not row.changed and row.new != dotted)


def _fill(
    trial: Trial,
    edit: Any,
    constructor: Sequence[str],
    functions: dict[Function, str],
    contexts: dict[ast.AST, str],
) -> Any:
    """Fill in the constructor and the contexts; return None if nothing is left to insert."""
    code = getattr(edit, "code", None)
    if code is None:
        return edit
    own = fx.CONTEXT
    if isinstance(edit, fx.AddMember):
        own = "context" if fx.CONSTRUCTOR in code else f"self.{trial.context.attribute}"
    if fx.CONSTRUCTOR in code:
        if isinstance(edit, fx.InsertFirst | fx.InsertAfter):
            access = trial.context.at(inside(edit))
            assert access is not None
            contexts[edit.node] = access.code
        text = "".join(f"{line.replace(fx.CONTEXT, own)}\n" for line in constructor)
        place = rf"(?m)^([ \t]*){re.escape(fx.CONSTRUCTOR)}(?:\n|\Z)"
        code = re.sub(place, lambda match: textwrap.indent(text, match[1]), code).rstrip("\n")
        if not code.strip():
            return None
    loaders = own if trial.loaders in functions else ""
    download = own if trial.download in functions else ""
    for token, handed in ((fx.LOADERS_CONTEXT, loaders), (fx.DOWNLOAD_CONTEXT, download)):
        if not handed:  # drop a lambda around a call without arguments
            code = re.sub(rf"lambda: (\w+)\({re.escape(token)}\)", r"\1", code)
        code = code.replace(token, handed)
    return edit if code == edit.code else replace(edit, code=code)


def _imports_of(fixes: Sequence[fx.Fix], binds: bool) -> dict[Path, set[str]]:
    imports: dict[Path, set[str]] = defaultdict(set)
    for fix in fixes:
        imports[fix.source.path] |= set(fix.imports)
        for source, edit in fix.located:
            code = getattr(edit, "code", "")
            if f"{library.MODULE}." in code or (binds and fx.CONSTRUCTOR in code):
                imports[source.path].add(f"import {library.MODULE}")
    return imports


def thread_context(trial: Trial, edits: Edits) -> tuple[dict[ast.AST, str], dict[Function, str]]:
    """Return the context at each edit that asks for it, and the functions that take it.

    Functions that get it as a parameter, and the calls that pass it on, are added to the edits.
    """
    contexts: dict[ast.AST, str] = {}
    functions: dict[Function, str] = {}
    waiting = [edit for group in edits.values() for edit in group]
    while waiting:
        edit: Any = waiting.pop()
        if fx.CONTEXT not in getattr(edit, "code", ""):
            continue
        access = trial.context.at(inside(edit))
        assert access is not None, edit
        contexts[edit.node] = access.code
        function = access.through
        if function is None or function in functions:
            continue
        functions[function] = access.code
        home = trial.modules.home(function)
        edits[home.path].append(fx.AddParameter(function, access.code))
        for call in trial.flow.calls(function):
            handing = fx.AddArgument(call.node, fx.CONTEXT, first=True)
            edits[trial.modules.home(call.node).path].append(handing)
            waiting.append(handing)
    return contexts, functions


def inside(edit: Any) -> ast.AST:
    """Return the place that decides which context the code of an edit has."""
    return edit.node.body[0] if isinstance(edit, fx.InsertFirst) else edit.node


def surviving(fixes: Iterable[fx.Fix]) -> tuple[list[fx.Fix], Edits]:
    """Return the fixes that still apply, outer ones first, and their edits."""
    ordered = sorted(_without_rivals(list(fixes)), key=_extent)
    takers = _takers(ordered)
    kept = [fix for fix in ordered if not _is_taken(fix, fix.node, takers)]
    every = [edit for fix in kept for _, edit in fix.located]
    held = {node for edit in every for node in getattr(edit, "holes", {}).values()}
    dropped = {edit.node for edit in every if isinstance(edit, fx.Drop)} - held
    edits: Edits = defaultdict(list)
    for fix in kept:
        for source, edit in fix.located:
            is_dropped = isinstance(edit, fx.Replace) and edit.node in dropped
            if not is_dropped and not _is_taken(fix, edit.node, takers):
                edits[source.path].append(edit)
    return kept, edits


def _extent(fix: fx.Fix) -> tuple[str, int, int, int]:
    """The key to sort fixes by: where they start, outer ones first."""
    node: Any = fix.node
    lines = getattr(node, "end_lineno", 10**9) or 10**9
    columns = getattr(node, "end_col_offset", 10**9) or 10**9
    return str(fix.source.path), getattr(node, "lineno", 0), -lines, -columns


def _without_rivals(fixes: Sequence[fx.Fix]) -> list[fx.Fix]:
    """The fixes without those whose node another fix replaces by a piece of ``legacy_keras``."""
    replaced = {
        edit.node
        for fix in fixes
        if fix.support and not fix.is_mark
        for edit in fix.edits
        if isinstance(edit, fx.Replace) and edit.node is fix.node
        if edit.node not in edit.holes.values()
    }
    return [fix for fix in fixes if fix.support or fix.node not in replaced]


def _takers(fixes: Iterable[fx.Fix]) -> _Takers:
    """The fixes that remove each node, which no hole of theirs keeps; outer fixes come first."""
    takers: _Takers = defaultdict(list)
    for fix in fixes:
        if _is_taken(fix, fix.node, takers):
            continue
        moved = {  # one edit removes them, a hole of another keeps them
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
