"""The statements that a script itself runs, and the names in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from pedl2det.analysis.scopes import COMPREHENSIONS, FUNCTIONS

_SCOPES = (*FUNCTIONS, ast.ClassDef, *COMPREHENSIONS)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def script_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a script and of its blocks, functions and classes left out."""
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            continue
        yield statement
        for block in blocks(statement):
            yield from script_statements(block)


def blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a statement."""
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [one.body for one in getattr(statement, "handlers", [])]
    found += [one.body for one in getattr(statement, "cases", [])]
    return [one for one in found if one]


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What stands in some nodes, without what stands in scopes of its own.

    Of a function, a class or a comprehension in them only itself.
    """
    stack = list(reversed(list(nodes)))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack += reversed(list(ast.iter_child_nodes(node)))


def bound_names(statements: Iterable[ast.AST]) -> dict[str, ast.AST]:
    """The names that some statements bind in their scope, with the first place of each."""
    found: dict[str, ast.AST] = {}
    for node in own_nodes(statements):
        for name in _binds(node):
            found.setdefault(name, node)
    for statement in statements:  # `:=` in a comprehension binds in the scope around
        for node in ast.walk(statement):
            if isinstance(node, ast.NamedExpr):
                found.setdefault(node.target.id, node)
    return found


def _binds(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name.partition(".")[0] for alias in aliases]
    return []


def read_names(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are read anywhere in some nodes."""
    return {
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    }
