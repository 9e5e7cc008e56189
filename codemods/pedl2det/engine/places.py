"""Where a finding is: the line, the columns and the code of a node, as the user sees them."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from pedl2det.analysis.source import Source
from pedl2det.findings import Finding, Kind


def finding_at(
    source: Source, node: ast.AST, kind: Kind, rule: str, message: str, help_: str = ""
) -> Finding:
    """Return a finding about a node."""
    line = getattr(node, "lineno", 1)
    found = finding_on(source, line, kind, rule, message, help_)
    if not hasattr(node, "lineno") or not found.code:
        return found
    column, end = _columns(source, node)
    return replace(found, column=column + 1, end_column=end + 1)


def finding_on(
    source: Source, line: int, kind: Kind, rule: str, message: str, help_: str = ""
) -> Finding:
    """Return a finding about a whole line of a file."""
    code = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    cell, shown = source.place(line)
    return Finding(kind, rule, source.path, shown, message, help_, code=code, cell=cell)


def _columns(source: Source, node: Any) -> tuple[int, int]:
    """The first column of a node, and the column after its last one on the same line."""
    line, column = source.start(node)
    text = source.lines[line - 1].rstrip()
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        at = text.find(node.name, column)
        return (at, at + len(node.name)) if at >= 0 else (column, len(text))
    if getattr(node, "end_lineno", line) != line:
        return column, max(len(text), column + 1)
    _, (_, end) = source.span(node)
    return column, max(end, column + 1)


def statement_of(source: Source, node: ast.AST) -> ast.stmt | None:
    """Return the innermost statement around a node; of a module, its first one."""
    if isinstance(node, ast.Module):
        return node.body[0] if node.body else None
    while not isinstance(node, ast.stmt):
        if node not in source.names.parents:
            return None
        node = source.names.parents[node]
    return node


def first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement begins, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])
