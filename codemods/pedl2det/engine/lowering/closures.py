"""What a script does after the training, as functions within the trial's constructor.

They know all names of the script, also those that are only bound on the way that was taken.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.blocks import without_blank_lines
from pedl2det.engine.lowering.cutting import Parts
from pedl2det.engine.lowering.walk import blocks, bound_names, read_names


class Closures:
    """Writes the functions.

    Args:
        parts: the script in parts.
        shared: names that stay names of the module.
        trial: the name of the trial in its constructor.
    """

    def __init__(self, parts: Parts, shared: Sequence[str], trial: str) -> None:
        self._parts = parts
        self._shared = set(shared)
        self._trial = trial

    def of(self, lines: Sequence[Any], nodes: Sequence[ast.stmt]) -> list[Any]:
        """Statements that define such a function and keep it for the end of the training."""
        bound = set(bound_names(nodes))
        declared = []
        if bound & self._shared:
            declared.append(f"global {', '.join(sorted(bound & self._shared))}")
        outer = (bound - self._shared) & self._bound_around(nodes)
        if outer:
            declared.append(f"nonlocal {', '.join(sorted(outer))}")
        made: Any = cst.parse_statement("def after_fit():\n    pass\n")
        body = [*map(cst.parse_statement, declared), *lines]
        body = [without_blank_lines(one, min(number, 1)) for number, one in enumerate(body)]
        made = made.with_changes(
            body=made.body.with_changes(body=body), leading_lines=[cst.EmptyLine(indent=False)]
        )
        keep: Any = cst.parse_statement(f"{self._trial}.after_fit.append(after_fit)")
        return [made, keep.with_changes(leading_lines=[cst.EmptyLine(indent=False)])]

    def _bound_around(self, nodes: Sequence[ast.stmt]) -> set[str]:
        """The names of the script that other code than this binds, or reads."""
        inside = {id(node) for one in nodes for node in ast.walk(one)}
        found = set()
        for statement in self._parts.moving:
            for node in ast.walk(statement):
                if id(node) in inside:
                    continue
                if isinstance(node, ast.Name):
                    found.add(node.id)
                elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found.add(node.name)
        return found

    def unbound(self, after: Sequence[Any], uses_closures: bool) -> list[str]:
        """Names that one such function binds and another one reads."""
        if not uses_closures:
            return []
        found_rests = [*rests(self._parts), [one.node for one in after]]
        inside = {id(node) for rest in found_rests for one in rest for node in ast.walk(one)}
        outside: set[str] = set()
        for statement in self._parts.moving:
            if id(statement) not in inside:
                names = bound_names([_Without(inside).visit(statement)])
                outside |= set(names)
        found: set[str] = set()
        for rest in found_rests:
            others = [one for other in found_rests if other is not rest for one in other]
            elsewhere = read_names(others) | read_names([one.node for one in self._parts.before])
            found |= set(bound_names(rest)) & (elsewhere | set(bound_names(others)))
        return sorted(found - outside - self._shared)


class _Without(ast.NodeVisitor):
    """A statement as it is, unless it is one of some nodes."""

    def __init__(self, gone: set[int]) -> None:
        self._gone = gone

    def visit(self, node: ast.AST) -> Any:
        """Leave nodes out."""
        if id(node) in self._gone:
            return ast.Pass()
        fields = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                fields[name] = [
                    self.visit(one) if isinstance(one, ast.AST) else one for one in value
                ]
            else:
                fields[name] = self.visit(value) if isinstance(value, ast.AST) else value
        return type(node)(**fields)


def rests(parts: Parts) -> list[list[ast.stmt]]:
    """The statements behind the training in the blocks around it."""
    calls = {id(call) for call in parts.fits}
    found: list[list[ast.stmt]] = []

    def walk(block: list[ast.stmt]) -> None:
        for number, statement in enumerate(block):
            if calls & {id(node) for node in ast.walk(statement)}:
                if block[number + 1 :]:
                    found.append(block[number + 1 :])
                for inner in blocks(statement):
                    walk(inner)
                return

    for inner in blocks(parts.fit.node):
        walk(inner)
    return found
