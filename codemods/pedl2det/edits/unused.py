"""Drop local variables that the edits left without a use."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

import libcst as cst

from pedl2det.analysis.source import Source
from pedl2det.edits.locate import Locator

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def without_unused(old: Source, new: str) -> Source:
    """The new file without assignments to local names that only code of the old text read.

    An assignment goes only if computing its value cannot do anything else: it reads names,
    attributes, items or the context's hyperparameters.
    """
    source = Source.of(old.path, new)
    for _ in range(5):
        superfluous = _superfluous(old, source)
        if not superfluous:
            break
        locator = Locator(source)
        dropper = _Dropper({locator.statement(one) for one in superfluous})
        source = Source.of(old.path, locator.module.visit(dropper).code)
    return source


def _superfluous(old: Source, new: Source) -> list[ast.Assign]:
    """The assignments to names that the old text read and the new one does not."""
    unread = [(name, one) for name, nodes in _functions(new).items() for one in _unread(nodes)]
    before = {name: _reads(nodes) for name, nodes in _functions(old).items() if unread}
    return [one for name, one in unread if one.targets[0].id in before.get(name, ())]  # type: ignore[attr-defined]


def _unread(nodes: Sequence[ast.AST]) -> Iterator[ast.Assign]:
    """The assignments of a function to one local name that it does not read."""
    names = {name for node in nodes for name in _declared(node)} | _reads(nodes)
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in names:
                if _is_harmless(value):
                    yield node


def _functions(source: Source) -> dict[str, list[ast.AST]]:
    """What is in every function, by its dotted name."""
    found = {}
    for node in source.names.of(ast.FunctionDef, ast.AsyncFunctionDef):
        above = [one.name for one in source.names.around(node) if isinstance(one, _DEFINITIONS)]
        found[".".join([*reversed(above), node.name])] = source.names.below(node)
    return found


def _reads(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
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
    """Drops statements with the comments above them, which speak of them."""

    def __init__(self, gone: Set[cst.CSTNode]) -> None:
        super().__init__()
        self._gone = gone

    def _goes(self, statement: Any) -> bool:
        is_one = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
        return is_one and statement.body[0] in self._gone

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        """Drop lines that hold nothing else; keep the block valid and its blank lines."""
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
