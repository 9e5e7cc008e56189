"""Put the fixes of all rules together into new texts of a project's files.

Fixes come as values and in no order. What they need together is worked out here: which fixes still
have a place, which functions get the context, what the constructor says, what is imported, and
which pieces ``legacy_keras.py`` holds.
"""

from __future__ import annotations

import ast
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
from pedl2det.edits.apply import apply
from pedl2det.edits.imports import Wanted, fitted
from pedl2det.edits.unused import without_unused
from pedl2det.support import library

#: The line of a template in whose place the constructor's statements come.
CONSTRUCTOR = "{constructor}"
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
    kept = surviving(trial, list(fixes))
    support = {name for fix in kept for name in fix.support}
    constructor = list(dict.fromkeys(line for fix in kept for line in fix.constructor))
    if library.needs_context(support):
        constructor.insert(0, BIND)
    edits: dict[int, list[fx.Edit]] = defaultdict(list)
    for fix in kept:
        for source, edit in fix.located:
            edits[id(source)].append(_with_constructor(edit, constructor))
    contexts = _thread_context(trial, edits)
    imports = _imports_of(kept, bool(library.needs_context(support)), trial)
    made = Draft(support=frozenset(support), fixes=tuple(kept))
    for source in trial.modules:
        mine = edits.get(id(source), [])
        if mine or imports[id(source)]:
            wanted = Wanted(
                frozenset(imports[id(source)]),
                names.is_legacy,
                frozenset(one.partition(".")[0] for one in trial.modules.by_name),
                source.path.name == "__init__.py",
            )
            text = apply(source, mine, contexts)
            text = without_unused(source.text, text)
            text = fitted(source.text, text, wanted)
            if text != source.text:
                made.texts[source.path] = text
    return made


def surviving(trial: Trial, fixes: Sequence[fx.Fix]) -> list[fx.Fix]:
    """The fixes whose place no other fix takes away, outer ones first."""
    ordered = sorted(fixes, key=lambda fix: (str(fix.source.path), *_extent(fix.node)))
    takers: dict[ast.AST, list[fx.Fix]] = defaultdict(list)
    for fix in ordered:
        if not _is_taken(fix, takers):
            for source, edit in fix.located:
                if isinstance(edit, _WHOLE):
                    for node in _taken(source, edit):
                        takers[node].append(fix)
    return _without_rivals([fix for fix in ordered if not _is_taken(fix, takers)])


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


def _is_taken(fix: fx.Fix, takers: dict[ast.AST, list[fx.Fix]]) -> bool:
    return any(other is not fix for other in takers.get(fix.node, ()))


def _extent(node: ast.AST) -> tuple[int, int, int]:
    """Where a node starts, and how much it holds: outer nodes come first."""
    lines = getattr(node, "end_lineno", 10**9) or 10**9
    columns = getattr(node, "end_col_offset", 10**9) or 10**9
    return (getattr(node, "lineno", 0), -lines, -columns)


def _taken(source: Source, edit: Any) -> set[ast.AST]:
    """The nodes below an edited place that no hole keeps."""
    holes = [hole for hole in getattr(edit, "holes", {}).values()]
    kept = {inner for hole in holes for inner in source.names.below(hole)}
    if edit.node in holes:
        return set()
    below = (
        ast.walk(edit.node)
        if isinstance(edit.node, ast.keyword)
        else (source.names.below(edit.node))
    )
    return {node for node in below if node not in kept and node is not edit.node}


def _with_constructor(edit: Any, constructor: Sequence[str]) -> Any:
    """An edit with the constructor's statements in their place."""
    code = getattr(edit, "code", None)
    if code is None or CONSTRUCTOR not in code:
        return edit
    lines = []
    for line in code.split("\n"):
        if line.strip() == CONSTRUCTOR:
            indent = line[: len(line) - len(line.lstrip())]
            lines += [indent + part for one in constructor for part in one.split("\n")]
        else:
            lines.append(line)
    text = "\n".join(lines)
    if isinstance(edit, fx.AddMember):  # the constructor that is added keeps the context first
        text = text.replace(fx.CONTEXT, "self.context")
    return replace(edit, code=text) if text.strip() else replace(edit, code="pass")


def _imports_of(fixes: Sequence[fx.Fix], binds: bool, trial: Trial) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for fix in fixes:
        found[id(fix.source)] |= set(fix.imports)
        for source, edit in fix.located:
            if f"{library.MODULE}." in getattr(edit, "code", ""):
                found[id(source)].add(f"import {library.MODULE}")
            if binds and CONSTRUCTOR in getattr(edit, "code", ""):
                found[id(source)].add(f"import {library.MODULE}")
    return found


def _thread_context(trial: Trial, edits: dict[int, list[fx.Edit]]) -> dict[ast.AST, str]:
    """The context's expression at each edit that asks for it.

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
        for call in trial.context.calls(function):
            handing = fx.AddArgument(call.node, fx.CONTEXT, first=True)
            edits[id(trial.modules.home(call.node))].append(handing)
            waiting.append(handing)
    return contexts
