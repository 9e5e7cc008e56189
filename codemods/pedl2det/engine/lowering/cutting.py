"""A script in parts: what stays, what comes before the training, and what comes after it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pedl2det.edits.locate import Locator
from pedl2det.engine.lowering.blocks import split
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.staying import staying
from pedl2det.engine.lowering.walk import bound_names, read_names, script_statements


@dataclass(frozen=True)
class Line:
    """A statement of the module.

    Attributes:
        node: the statement.
        code: its libcst form.
    """

    node: ast.stmt
    code: Any


@dataclass(frozen=True)
class Parts:
    """A script in parts.

    Attributes:
        locator: finds its nodes.
        staying: the statements that stay in the module.
        before: those that run before the training.
        fit: the statement in which the model is trained.
        after: those that run after it.
        fits: the calls that train: several only where they exclude each other.
        later_fits: further trainings.
    """

    locator: Locator
    staying: tuple[Line, ...]
    before: tuple[Line, ...]
    fit: Line
    after: tuple[Line, ...]
    fits: tuple[ast.Call, ...]
    later_fits: tuple[ast.Call, ...]

    @property
    def moving(self) -> list[ast.stmt]:
        """Every statement that moves."""
        return [one.node for one in (*self.before, self.fit, *self.after)]


def cut(script: Script, first: Script, calls: Sequence[ast.Call]) -> Parts:
    """Take a script apart at the statement that trains.

    Args:
        script: the script, which trains in its own statements.
        first: the script as it was read.
        calls: the calls that train.
    """
    source = script.source
    locator = Locator(source)
    tops = {node.lineno: first.source.lines[node.lineno - 1] for node in first.source.tree.body}

    def is_inner(statement: ast.stmt) -> bool:
        line = script.text.old_line(statement.lineno)
        return tops.get(line) != source.lines[statement.lineno - 1]

    stays = staying(source, is_inner)
    codes = [one for line in locator.module.body for one in split(line)]
    lines = [Line(node, code) for node, code in zip(source.tree.body, codes, strict=True)]
    statements = {id(line.node): line for line in lines}
    trained = _statement_of(source.names.parents, calls[0], statements)
    number = lines.index(trained)
    own = [
        call for call in calls if _statement_of(source.names.parents, call, statements) is trained
    ]
    mine = exclusive(source.names.parents, own)
    return Parts(
        locator,
        tuple(
            line for line, stay in zip(lines, stays, strict=True) if stay and line is not trained
        ),
        tuple(line for line, stay in zip(lines[:number], stays[:number], strict=True) if not stay),
        trained,
        tuple(
            line
            for line, stay in zip(lines[number + 1 :], stays[number + 1 :], strict=True)
            if not stay
        ),
        tuple(mine),
        tuple(call for call in calls if call not in mine),
    )


def _statement_of(
    parents: dict[ast.AST, ast.AST], node: ast.AST, statements: dict[int, Line]
) -> Line:
    while id(node) not in statements:
        node = parents[node]
    return statements[id(node)]


def exclusive(parents: dict[ast.AST, ast.AST], calls: list[ast.Call]) -> list[ast.Call]:
    """The first call and those that only run where it does not."""
    found = calls[:1]
    for call in calls[1:]:
        if all(_exclude(parents, call, other) for other in found):
            found.append(call)
    return found


def _exclude(parents: dict[ast.AST, ast.AST], one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in different branches of one ``if``."""
    around = {id(node): child for node, child in _around(parents, one)}
    for node, child in _around(parents, other):
        mine = around.get(id(node))
        if mine is not None:
            if not isinstance(node, ast.If) or mine is child:
                return False
            return (mine in node.body) != (child in node.body)
    return False


def _around(parents: dict[ast.AST, ast.AST], node: ast.AST) -> list[tuple[ast.AST, ast.AST]]:
    found = []
    while node in parents:
        found.append((parents[node], node))
        node = parents[node]
    return found


def shared_names(parts: Parts, parameter: str = "") -> list[str]:
    """Names of the module that the moved statements bind and that others know as such.

    Args:
        parts: the script in parts.
        parameter: a name that the constructor is given.
    """
    source = parts.locator.source
    bound = bound_names(parts.moving)
    if parameter:
        bound.setdefault(parameter, source.tree)
    stay = [one.node for one in parts.staying]
    kept = bound_names(stay)
    known = {
        node.id
        for statement in stay
        for node in source.names.below(statement)
        if isinstance(node, ast.Name) and source.names.binder(node) in (source.tree, None)
    }
    known |= {name for node in _globals(stay) for name in node.names}
    if _looks_at_names(parts.moving):
        known |= set(bound)
    hidden = {name for name in bound if hasattr(builtins, name) and _read_first(parts, name)}
    shared = {name for name in bound if name in known or name in kept or name in hidden}
    for node in _globals(parts.moving):  # one statement says the same of all of its names
        if shared & set(node.names):
            shared |= set(node.names) & bound.keys()
    return sorted(shared)


def _globals(statements: Sequence[ast.stmt]) -> list[ast.Global]:
    return [node for one in statements for node in ast.walk(one) if isinstance(node, ast.Global)]


def rebinds(parts: Parts) -> bool:
    """Whether functions that move set variables of the script."""
    return bool(_globals(parts.moving))


def _looks_at_names(statements: Sequence[ast.stmt]) -> bool:
    """Whether code looks names up by their text."""
    return bool({"globals", "locals", "vars", "dir", "exec", "eval"} & read_names(statements))


def _read_first(parts: Parts, name: str) -> bool:
    """Whether the first statement that knows a name reads it."""
    for statement in script_statements(parts.moving):
        uses = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if uses:
            return any(isinstance(use.ctx, ast.Load) for use in uses)
    return False


def history_targets(parts: Parts) -> set[str]:
    """What the value of ``fit`` is assigned to, as code."""
    found: set[str] = set()
    for call in parts.fits:
        match parts.locator.source.names.statement_of(call):
            case ast.Assign(targets=targets):
                found |= {ast.unparse(one) for one in targets}
            case ast.AnnAssign(target=target):
                found.add(ast.unparse(target))
    return found
