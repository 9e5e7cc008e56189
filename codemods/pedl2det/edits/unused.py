"""Drop local variables that the edits left without a use."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider


def without_unused(old: str, new: str) -> str:
    """The new text without assignments to local names that only code of the old text read.

    An assignment goes only if computing its value cannot do anything else: it reads names,
    attributes, items or the context's hyperparameters.
    """
    text = new
    for _ in range(5):
        lines = _superfluous(old, text)
        if not lines:
            return text
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        dropper = _Dropper(wrapper.resolve(PositionProvider), lines)
        text = wrapper.module.visit(dropper).code
    return text


def _superfluous(old: str, new: str) -> set[int]:
    """The lines of assignments whose names the old text read and the new one does not."""
    before = {name: _reads(body) for name, body in _functions(old).items()}
    found: set[int] = set()
    for name, body in _functions(new).items():
        if name not in before:
            continue
        reads = _reads(body)
        scoped = {one for node in ast.walk(body) for one in _declared(node)}
        for node in ast.walk(body):
            match node:
                case ast.Assign(targets=[ast.Name(id=local)], value=value):
                    was_read = local in before[name] and local not in reads
                    if was_read and local not in scoped and _is_harmless(value):
                        found.add(node.lineno)
    return found


def _functions(text: str) -> dict[str, ast.AST]:
    """Every function by its dotted name."""
    found: dict[str, ast.AST] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}.{child.name}"
                if not isinstance(child, ast.ClassDef):
                    found[name] = child
            walk(child, name)

    walk(ast.parse(text), "")
    return found


def _reads(body: ast.AST) -> set[str]:
    return {
        node.id
        for node in ast.walk(body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _declared(node: ast.AST) -> list[str]:
    return list(node.names) if isinstance(node, ast.Global | ast.Nonlocal) else []


def _is_harmless(value: ast.expr) -> bool:
    """Whether computing a value only reads."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if method not in ("get", "get_hparam", "get_hparams") and not method.startswith("get_"):
                return False
        elif isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True


class _Dropper(cst.CSTTransformer):
    def __init__(self, positions: Any, lines: set[int]) -> None:
        super().__init__()
        self._positions = positions
        self._lines = lines

    def _goes(self, statement: Any) -> bool:
        """Whether a statement is a superfluous assignment."""
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            return False
        line = self._positions[statement.body[0]].start.line
        return isinstance(statement.body[0], cst.Assign) and line in self._lines

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Drop assignments with the comments above them, which speak of them; keep blank lines."""
        body: list[Any] = []
        is_apart = False
        pairs: Any = zip(original_node.body, updated_node.body, strict=True)
        for old, new in pairs:
            if self._goes(old):
                is_apart = is_apart or any(one.comment is None for one in old.leading_lines)
                continue
            blank = is_apart and bool(body) and not new.leading_lines
            lines = [cst.EmptyLine(indent=False)] if blank else new.leading_lines
            body.append(new.with_changes(leading_lines=lines))
            is_apart = False
        if len(body) == len(updated_node.body):
            return updated_node
        return updated_node.with_changes(body=body or [cst.SimpleStatementLine([cst.Pass()])])
