"""Small questions about the statements of a script, and the answer that it cannot be rewritten."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.facts.source import Source

_SCOPES = (*FUNCTIONS, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """What stands in some statements, without what stands in scopes of its own."""
    stack: list[ast.AST] = list(reversed(statements))
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack += reversed(list(ast.iter_child_nodes(node)))


def bound_names(statements: Sequence[ast.stmt]) -> dict[str, ast.AST]:
    """The names that some statements bind in their scope, with the first place of each."""
    found: dict[str, ast.AST] = {}
    for node in own_nodes(statements):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found.setdefault(name, node)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.setdefault(name, node)
            case ast.ExceptHandler(name=str(name)):
                found.setdefault(name, node)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for alias in aliases:
                    found.setdefault(alias.asname or alias.name.partition(".")[0], node)
    return found


def function_named(source: Source, name: str) -> ast.FunctionDef | None:
    """The function of the module that a name means, if it means one."""
    found = [
        node for node in source.tree.body if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    return found[0] if len(found) == 1 and len(source.names.module_bindings(name)) == 1 else None


def is_fit(node: ast.AST, models: set[str] | None = None) -> bool:
    """Whether this is a call of ``fit`` of one of some models; of any object if they are None."""
    match node:
        case ast.Call(func=ast.Attribute(attr="fit_generator")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="fit")):
            return models is None or name in models
    return False
