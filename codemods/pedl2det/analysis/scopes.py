"""Which nodes are scopes, which ones bind names, and in which scope."""

from __future__ import annotations

import ast

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = (
    ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | Comprehension
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)
#: Nodes that bind names.
BINDERS = {
    *(ast.Import, ast.ImportFrom, ast.Name, ast.arg, ast.ExceptHandler, ast.FunctionDef),
    *(ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.NamedExpr),
    *(ast.MatchAs, ast.MatchStar, ast.MatchMapping),
}


def imported_as(node: ast.ImportFrom, alias: ast.alias) -> str:
    """The dotted name of what an import imports, with the dots of a relative one."""
    dotted = "." * node.level + (node.module or "")
    return f"{dotted}{'' if dotted.endswith('.') else '.'}{alias.name}"


def names_in(node: ast.AST) -> list[str | None]:
    """The names that one node reads or binds."""
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return [name]
        case ast.alias(name=name, asname=local):
            return [local or name.partition(".")[0]]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ExceptHandler(name=local) | ast.MatchAs(name=local) | ast.MatchStar(name=local):
            return [local]
        case ast.MatchMapping(rest=local):
            return [local]
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return [*names]
    return []


def is_of_scope(child: ast.AST, scope: ast.AST) -> bool:
    """Whether what a child of a scope binds is bound in it, not around it."""
    if isinstance(scope, FUNCTIONS):
        return isinstance(child, ast.arguments) or is_inside(child, scope)
    return not isinstance(scope, ast.ClassDef) or child in scope.body


def is_inside(child: ast.AST, function: ast.AST) -> bool:
    """Whether a child of a function is evaluated in its own scope."""
    if isinstance(function, ast.Lambda):
        return child is function.body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return child in function.body
