"""Which nodes open scopes, which ones bind names, and to what."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Scope = (
    ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | Comprehension
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (ast.Module, ast.ClassDef, *FUNCTIONS, *COMPREHENSIONS)
#: The nodes that bind a name, and the field that holds it; also names that are only read.
NAMING = {
    ast.Name: "id",
    ast.arg: "arg",
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef), "name"),
    **dict.fromkeys((ast.ExceptHandler, ast.MatchAs, ast.MatchStar), "name"),
    ast.MatchMapping: "rest",
}

#: One step into a value: an index, a key, or None for any member.
Step = int | str | None
Path = tuple[Step, ...]


@dataclass(frozen=True)
class Binding:
    """One place where a name or an attribute gets a value.

    Attributes:
        node: the place: a target, a parameter, an import alias, a definition.
        value: the expression that it is bound to, if there is one.
        path: the member of ``value`` that is bound, for unpacking and loops.
        augmented: whether the old value takes part (``x += y``).
    """

    node: ast.AST
    value: ast.expr | None = None
    path: Path = ()
    augmented: bool = False


def name_of(node: ast.AST) -> str | None:
    """The name that one node binds or reads."""
    if isinstance(node, ast.alias):
        return node.asname or node.name.partition(".")[0]
    field = NAMING.get(type(node))
    return getattr(node, field) if field else None


def binding_of(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> Binding | None:
    """What a place is bound to; None if it is not, as after ``del`` or in ``x: int``."""
    if isinstance(getattr(node, "ctx", None), ast.Del):
        return None
    if not isinstance(node, ast.Name | ast.Attribute):
        return Binding(node)
    path: Path = ()
    child: ast.AST = node
    while True:
        parent = parents[child]
        match parent:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                index = elements.index(child)  # type: ignore[arg-type]
                is_open = any(isinstance(one, ast.Starred) for one in elements[: index + 1])
                path = (None if is_open else index, *path)
            case ast.Starred():
                pass
            case ast.Assign(value=value) | ast.NamedExpr(value=value):
                return Binding(node, value, path)
            case ast.AnnAssign(value=value):
                return Binding(node, value) if value is not None else None
            case ast.AugAssign(value=value):
                return Binding(node, value, augmented=True)
            case ast.For(iter=value) | ast.AsyncFor(iter=value) | ast.comprehension(iter=value):
                return Binding(node, value, (None, *path))
            case ast.withitem(context_expr=value):
                return Binding(node, value, path)
            case _:
                return Binding(node)
        child = parent


def imported_as(node: ast.ImportFrom, alias: ast.alias) -> str:
    """The dotted name of what an import imports, with the dots of a relative one."""
    dotted = "." * node.level + (node.module or "")
    return f"{dotted}{'' if dotted.endswith('.') else '.'}{alias.name}"


def is_inside(child: ast.AST, function: ast.AST) -> bool:
    """Whether a child of a function is evaluated in its own scope."""
    if isinstance(function, ast.Lambda):
        return child is function.body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    return child in function.body
