"""A script in parts: what stays in the module, and what moves into the trial."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import Line, bound_names, lines_of, own_nodes, read_names
from pedl2det.engine.lowering.staying import staying

_LOOKING = {"globals", "locals", "vars", "dir", "exec", "eval"}


@dataclass(frozen=True)
class Parts:
    """A script in parts.

    Attributes:
        module: its libcst form.
        staying: the statements that stay in the module.
        moving: those that move, in their order.
        shared: names that the moved statements bind, and that others know as the module's.
    """

    module: cst.Module
    staying: tuple[Line, ...]
    moving: tuple[Line, ...]
    shared: tuple[str, ...]


def stays(script: Script) -> list[bool]:
    """For each statement of a script, whether it stays in the module."""
    tops = {node.lineno for node in script.first.tree.body}
    old, new = script.first.lines, script.source.lines

    def is_inner(node: ast.stmt) -> bool:
        line = script.lines[node.lineno - 1]
        return line not in tops or old[line - 1].strip() != new[node.lineno - 1].strip()

    return staying(script.source, is_inner)


def taken_apart(script: Script, stay: Sequence[bool]) -> Parts:
    """Take a script apart."""
    module, lines = lines_of(script.source)
    kept = tuple(line for line, stays in zip(lines, stay, strict=True) if stays)
    moving = tuple(line for line, stays in zip(lines, stay, strict=True) if not stays)
    return Parts(module, kept, moving, tuple(_shared(script, kept, moving)))


def _shared(script: Script, staying: Sequence[Line], moving: Sequence[Line]) -> list[str]:
    source = script.source
    stay, move = [one.node for one in staying], [one.node for one in moving]
    bound = bound_names(move) | ({script.parameter} - {""})
    every = [node for one in stay for node in source.names.below(one)]
    known = {
        node.id
        for node in every
        if isinstance(node, ast.Name) and source.names.binder(node) in (source.tree, None)
    }
    declared = [n for one in [*stay, *move] for n in ast.walk(one) if isinstance(n, ast.Global)]
    known |= bound_names(stay) | {name for node in declared for name in node.names}
    if _LOOKING & read_names(move):
        known |= bound
    hidden = {name for name in bound if hasattr(builtins, name) and _is_read_first(move, name)}
    return sorted(bound & (known | hidden))


def _is_read_first(statements: Sequence[ast.stmt], name: str) -> bool:
    """Whether the first statement that knows a name reads it."""
    for statement in statements:
        uses = [n for n in own_nodes([statement]) if isinstance(n, ast.Name) and n.id == name]
        if uses:
            return any(isinstance(use.ctx, ast.Load) for use in uses)
    return False


def in_function(line: Line, shared: Sequence[str]) -> Any:
    """The code of a statement where some names are declared global, which forbids annotations."""
    node, code = line.node, line.code
    if isinstance(node, ast.AnnAssign) and node.value and bound_names([node]) & set(shared):
        small = code.body[0]
        plain = cst.Assign([cst.AssignTarget(small.target)], small.value)
        return code.with_changes(body=[plain])
    return code
