"""What names mean: where they are bound, where they occur, which are free."""

from __future__ import annotations

import ast
import builtins
import keyword
import random
from collections.abc import Iterator

from variants.project import Project, tokens_of
from variants.source import COMPREHENSIONS, FunctionNode, ScopeNode, Source

BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__class__"}


def fresh(project: Project, chance: random.Random, *candidates: str) -> str:
    """Return one of some names, numbered if the project uses it."""
    taken = set(tokens_of(project)) | BUILTINS | set(keyword.kwlist)
    name = chance.choice(candidates)
    if name not in taken:
        return name
    return next(f"{name}{number}" for number in range(2, 99) if f"{name}{number}" not in taken)


def parameters(function: ast.AST) -> list[ast.arg]:
    """Return the parameters of a function or lambda."""
    assert isinstance(function, ScopeNode)
    found = function.args
    extra = [one for one in (found.vararg, found.kwarg) if one is not None]
    return [*found.posonlyargs, *found.args, *found.kwonlyargs, *extra]


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a scope without those of the functions, lambdas and classes in it."""
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, (*ScopeNode, ast.ClassDef, *COMPREHENSIONS)):
            todo = [*ast.iter_child_nodes(node), *todo]


def bound(scope: ast.AST) -> set[str]:
    """Return the names that a module, function, lambda or comprehension binds."""
    names: set[str] = set()
    if isinstance(scope, ScopeNode):
        names |= {one.arg for one in parameters(scope)}
    if isinstance(scope, COMPREHENSIONS):
        targets = [generator.target for generator in scope.generators]
        return {node.id for one in targets for node in ast.walk(one) if isinstance(node, ast.Name)}
    for node in own_nodes(scope):
        names |= _bound_by(node)
    return names


def _bound_by(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return {node.id}
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return {node.name}
        case ast.Import() | ast.ImportFrom():
            return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        case ast.ExceptHandler(name=str(name)):
            return {name}
    return set()


def bound_in_body(function: ast.FunctionDef) -> set[str]:
    """Return the names that the statements of a function bind."""
    return {
        one.id
        for one in ast.walk(function)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def scopes_around(source: Source, node: ast.AST) -> list[ast.AST]:
    """Return the functions, lambdas and comprehensions around a node, the nearest first."""
    return [one for one in source.ancestors(node) if isinstance(one, (*ScopeNode, *COMPREHENSIONS))]


def is_local(source: Source, node: ast.Name) -> bool:
    """Return whether a name is bound in a scope around it that is not the module."""
    return any(node.id in bound(scope) for scope in scopes_around(source, node))


def loads(node: ast.AST) -> list[ast.Name]:
    """Return the names that an expression or statement reads, in the order of the text."""
    return [
        one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    ]


def occurrences(source: Source, function: FunctionNode, name: str) -> list[ast.AST] | None:
    """Return the places of a local name, or None where it cannot be renamed safely.

    Returns:
        `ast.Name` and `ast.arg` nodes.
    """
    found: list[ast.AST] = []
    for node in ast.walk(function):
        is_it = isinstance(node, ast.Name) and node.id == name
        if is_it and source.in_f_string(node):
            return None
        if is_it or (isinstance(node, ast.arg) and node.arg == name):
            found.append(node)
        if not is_it and node is not function and _binds_otherwise(node, name):
            return None
    return found


def _binds_otherwise(node: ast.AST, name: str) -> bool:
    """Return whether a node binds a name by an import, a definition or in a scope of its own."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        return name in node.names
    is_scope = isinstance(node, (*ScopeNode, *COMPREHENSIONS)) and name in bound(node)
    return is_scope or name in _bound_by(node)


def global_occurrences(source: Source, name: str) -> list[ast.Name]:
    """Return the places where a name means what the module binds."""
    nodes = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name)]
    return [node for node in nodes if node.id == name and not is_local(source, node)]


def free_locals(source: Source, node: ast.AST) -> list[str]:
    """Return the names that code reads and a function around it binds, in order."""
    inner: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, (*ScopeNode, *COMPREHENSIONS)):
            inner |= bound(one)
    around = [bound(scope) for scope in scopes_around(source, node)]
    names = [one.id for one in loads(node) if one.id not in inner]
    return list(dict.fromkeys(name for name in names if any(name in one for one in around)))


def free_globals(source: Source, node: ast.AST) -> list[str]:
    """Return the names that code takes from its module, stars included, in order."""
    names = [one.id for one in loads(node) if not is_local(source, one)]
    return list(dict.fromkeys(name for name in names if name not in BUILTINS))
