"""Optimizers become those of ``tf.keras.optimizers.legacy``, which compute what the old ones did.

Since Keras 2.11 an optimizer ignores ``lr=`` with a warning, and raises for ``decay=``. Arguments
that had other names, another order or other defaults are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.bindings import imported_as
from pedl2det.analysis.flow import Way
from pedl2det.analysis.old_keras import LEGACY, OPTIMIZERS, call_edits, means_standalone
from pedl2det.analysis.source import Source
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddArgument, Edit, Fix, Remark, RenameKeyword, Replace, ReplaceStatement
from pedl2det.rules import cases_optimizers
from pedl2det_names import Age

ID = "P009"
NAME = "legacy-optimizers"

_BASE = "Optimizer"
_GETTERS = {f"{OPTIMIZERS}.get", f"{OPTIMIZERS}.deserialize"}
_CLIPS = {"clipnorm", "clipvalue"}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the optimizers in every file of the project."""
    written_for = old_keras.age(trial)
    statements: dict[ast.ImportFrom, Source] = {}
    for reference in trial.references:
        row = old_keras.meant(reference, written_for)
        if row is None or not old_keras.is_optimizer(row):
            continue
        if isinstance(reference.node, ast.alias):
            statement = reference.source.names.parents[reference.node]
            if isinstance(statement, ast.ImportFrom):
                statements[statement] = reference.source
        else:
            yield from _use(trial, reference, row)
    for statement, source in statements.items():
        yield from _import(source, statement)
    if written_for is not Age.CURRENT:
        for source in trial.modules:
            yield from _stars(source)
            yield from _others(trial, source)


# Imports.


def _import(source: Source, node: ast.ImportFrom) -> Iterator[Fix]:
    """``from keras.optimizers import Adam`` with the places where its names are today."""
    if _is_guarded(source, node):
        return
    groups: dict[str, list[str]] = {}
    for alias in node.names:
        dotted = imported_as(node, alias)
        row = names.lookup(dotted)
        new = dotted
        if row is not None and row.new and (row.same or not old_keras.is_optimizer(row)):
            new = row.new
        module, _, name = new.rpartition(".")
        local = alias.asname or alias.name
        groups.setdefault(module, []).append(name + (f" as {local}" if local != name else ""))
    code = "\n".join(f"from {module} import {', '.join(said)}" for module, said in groups.items())
    yield Fix(ID, source, node, (ReplaceStatement(node, code),))


def _is_guarded(source: Source, node: ast.ImportFrom) -> bool:
    """Whether this is imported where there is no ``legacy`` to import from."""
    guard = source.names.parents.get(source.names.parents[node])
    return isinstance(guard, ast.Try) and any(
        isinstance(tried, ast.ImportFrom) and (tried.module or "").endswith("optimizers.legacy")
        for tried in guard.body
        if tried is not node
    )


def _stars(source: Source) -> Iterator[Fix]:
    """``from keras.optimizers import *`` names what the file uses."""
    for node in source.names.of(ast.ImportFrom):
        if node.names[0].name != "*" or node.level:
            continue
        row = names.lookup(node.module or "")
        if (row.new if row else node.module) != OPTIMIZERS:
            continue
        used: dict[str, set[str]] = {}
        for name in source.names.of(ast.Name):
            dotted = source.names.qualified(name) or ""
            if source.names.binder(name) is None and dotted.startswith(f"{node.module}."):
                found = names.lookup(dotted)
                new = found.new if found and found.new else dotted
                module, _, public = new.rpartition(".")
                alias = f" as {name.id}" if public != name.id else ""
                used.setdefault(module, set()).add(public + alias)
        code = "\n".join(
            f"from {module} import {', '.join(sorted(said))}" for module, said in used.items()
        )
        yield Fix(ID, source, node, (ReplaceStatement(node, code),))


# Uses.


def _use(trial: Trial, reference: Reference, row: names.Name) -> Iterator[Fix | Remark]:
    """One use of an optimizer's class: called, or as a value."""
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr)
    if not row.same:  # no optimizer of Keras computes the same
        edit = Replace(node, f"legacy_keras.{row.support}")
        yield Fix(ID, source, node, (edit,))
        return
    call = reference.call
    parent = source.names.parents.get(node)
    if call is not None:
        edits = call_edits(call, row)
        clips = [one for one in call.keywords if one.arg in _CLIPS]
        if means_standalone(trial, reference.dotted) and len(clips) > 1:
            message = "Keras 2.2.4 clipped by the norm first, and today's Keras by the value first"
            yield Remark(ID, source, call, Kind.LEFT, message, "keep one of clipnorm and clipvalue")
            return
    elif isinstance(parent, ast.ClassDef):
        edits = []
        if row.defaults:
            said = ", ".join(f"{name}={value}" for name, value in row.defaults.items())
            message = f"{parent.name} derives from {ast.unparse(node)}, which had {said}"
            help_ = "give it these arguments where it is made"
            yield Remark(ID, source, parent, Kind.LEFT, message, help_)
    else:
        edits = _as_value(trial, node, row)
    if edits is None:
        yield _by_piece(reference, row)
    else:
        yield from _renamed(reference, row, edits)


def _renamed(reference: Reference, row: names.Name, edits: list[Edit]) -> Iterator[Fix]:
    """The class by its new name, and its arguments by theirs."""
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr) and row.new is not None
    imports: tuple[str, ...] = ()
    if isinstance(node, ast.Attribute):
        spelling = spell(source, row.new, like=node)
        imports = spelling.imports
        if spelling.code != ast.unparse(node):
            edits = [Replace(node, spelling.code), *edits]
    if edits or imports:
        yield Fix(ID, source, node, tuple(edits), imports=imports)


def _by_piece(reference: Reference, row: names.Name) -> Fix:
    """The faithful form: a function with the old arguments and defaults."""
    node = reference.node
    assert isinstance(node, ast.expr) and row.new is not None
    piece = row.support or row.new.rpartition(".")[2]
    edit = Replace(node, f"legacy_keras.{piece}")
    return Fix(ID, reference.source, node, (edit,))


def _as_value(trial: Trial, node: ast.expr, row: names.Name) -> list[Edit] | None:
    """The edits of the calls of a class that is used as a value, such as a member of a dict.

    Returns None if a call may mean something else today.
    """
    calls = [use.around for use in trial.flow.uses(node) if use.way is Way.METHOD]
    found = [call for call in calls if isinstance(call, ast.Call)]
    all_same = bool(found) and all(_means_the_same(call, row) for call in found)
    if (row.defaults or row.parameters) and not all_same:
        return None
    here = trial.modules.home(node)
    return [
        RenameKeyword(keyword, "learning_rate")
        for call in found
        for keyword in call.keywords
        if keyword.arg == "lr" and trial.modules.home(call) is here
    ]


def _means_the_same(call: ast.Call, row: names.Name) -> bool:
    said = {one.arg for one in call.keywords}
    if None in said or len(call.args) > 1 or "clipnorm" in said:
        return False
    given = {row.keywords.get(str(one), one) for one in said}
    if call.args:
        given.add("learning_rate")
    return row.defaults.keys() <= given


# The module, its functions, and its base class.


def _others(trial: Trial, source: Source) -> Iterator[Fix | Remark]:
    for node in source.names.of(ast.Name, ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            continue
        dotted = trial.modules.meaning(node)
        if dotted is None:
            continue
        row = names.lookup(dotted)
        today = row.new if row is not None else dotted
        parent = source.names.parents.get(node)
        if today in _GETTERS and isinstance(parent, ast.Call) and parent.func is node:
            yield from _getter(trial, node, parent, dotted, str(today))
        elif today == f"{OPTIMIZERS}.{_BASE}":
            spelling = spell(source, f"{LEGACY}.{_BASE}", like=node)
            edit = Replace(node, spelling.code)
            yield Fix(ID, source, node, (edit,), imports=spelling.imports)
        elif today == OPTIMIZERS and isinstance(parent, ast.Call) and node in parent.args:
            yield from _by_computed_name(trial, node, parent, dotted)


def _getter(trial: Trial, node: ast.expr, call: ast.Call, dotted: str, today: str) -> Iterator[Fix]:
    """``optimizers.get(name)`` means the old optimizer of that name."""
    source = trial.modules.home(node)
    if means_standalone(trial, dotted) and today.endswith(".get"):
        edit = Replace(node, "legacy_keras.standalone_optimizer")
        yield Fix(ID, source, node, (edit,))
    elif all(one.arg != "use_legacy_optimizer" for one in call.keywords):
        edits: list[Edit] = [AddArgument(call, "use_legacy_optimizer=True")]
        imports: tuple[str, ...] = ()
        if isinstance(node, ast.Attribute):
            spelling = spell(source, today, like=node)
            imports = spelling.imports
            edits.append(Replace(node, spelling.code))
        yield Fix(ID, source, node, tuple(edits), imports=imports)


def _by_computed_name(
    trial: Trial, node: ast.expr, call: ast.Call, dotted: str
) -> Iterator[Fix | Remark]:
    """``getattr(optimizers, name)``: the class of that name; ``hasattr``, whether there is one."""
    source = trial.modules.home(node)
    if getattr(call.func, "id", "") == "hasattr":
        spelling = spell(source, LEGACY, like=node)
        yield Fix(ID, source, node, (Replace(node, spelling.code),), imports=spelling.imports)
    elif getattr(call.func, "id", "") != "getattr" or len(call.args) < 2:
        message = f"{ast.unparse(node)} is handed on, and which optimizers are used is not visible"
        help_ = "name the optimizer, or hand tf.keras.optimizers.legacy on"
        yield Remark(ID, source, node, Kind.LEFT, message, help_)
    elif means_standalone(trial, dotted):
        name = call.args[1]
        edit = Replace(call, "legacy_keras.standalone_optimizer_class({name})", {"name": name})
        yield Fix(ID, source, node, (edit,))
    else:
        edit = Replace(node, "{module}.legacy", {"module": node})
        yield Fix(ID, source, node, (edit,))


CASES = cases_optimizers.CASES
