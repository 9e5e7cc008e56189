"""Where in a script the context is: in what moves, and in the functions that are given it."""

from __future__ import annotations

import ast
import functools

from pedl2det.facts.source import Source
from pedl2det.findings import Unclear
from pedl2det.script.parts import Parts, parts_of
from pedl2det.script.walk import function_named, own_nodes
from pedl2det.tables.legacy import NAMES


def context_in(source: Source, node: ast.AST) -> str | None:
    """The expression that is the context where a node stands; None if it is out of reach."""
    try:
        parts = parts_of(source)
    except Unclear:
        return None
    around = source.names.definition_around(node)
    if around is parts.main and _stands_in(source, node, parts.moving):
        return "self.context"
    if _stands_in(source, node, (*parts.before, parts.fit)):
        return "context"  # the constructor's: self may be another one there
    function = source.names.function_of(node)
    if isinstance(function, ast.FunctionDef) and function in given_context(source):
        return "context" if source.names.is_in_body(node, function) else None
    return None


@functools.lru_cache(maxsize=4)
def given_context(source: Source) -> tuple[ast.FunctionDef, ...]:
    """The functions of the module that need the context, or call one that does."""
    parts = parts_of(source)
    maker = maker_of(parts)
    functions = [
        node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and node is not parts.main
    ]
    needing = [node for node in functions if node is maker or _asks(source, node)]
    while True:
        names = {node.name for node in needing}
        more = [
            node
            for node in functions
            if node not in needing and any(source.names.uses_name(node, name) for name in names)
        ]
        if not more:
            return tuple(needing)
        needing += more


def maker_of(parts: Parts) -> ast.FunctionDef | None:
    """The function that makes and compiles the model, if the script does not compile it itself."""
    for node in own_nodes(parts.before):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="compile")):
                if name == parts.model.id:
                    return None
    made = [
        node.value.func.id
        for node in own_nodes(parts.before)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == parts.model.id
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    ]
    return function_named(parts.source, made[0]) if len(made) == 1 else None


def check_given(parts: Parts) -> None:
    """Raise if a function that needs the context cannot be given it everywhere.

    Raises:
        Unclear: it is called from elsewhere, handed on, decorated.
    """
    names = parts.source.names
    for function in given_context(parts.source):
        if function.decorator_list or function.args.posonlyargs:
            message = f"{function.name} needs the context, and is decorated or has a / in its head"
            raise Unclear(function, message)
        for node in names.nodes:
            if not (isinstance(node, ast.Name) and node.id == function.name):
                continue
            call = names.parents[node]
            is_called = isinstance(call, ast.Call) and call.func is node
            if names.binder(node) is names.tree and (
                not is_called or context_in(parts.source, node) is None
            ):
                message = f"{function.name} needs the context, which does not reach this place"
                raise Unclear(node, message)


def _asks(source: Source, function: ast.FunctionDef) -> bool:
    """Whether a function asks one of the old getters."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name | ast.Attribute):
            legacy = NAMES.get(source.names.qualified(node) or "")
            if legacy is not None and (
                legacy.name == "pedl.get_hyperparameter" or "{context}" in (legacy.becomes or "")
            ):
                return True
    return False


def _stands_in(source: Source, node: ast.AST, statements: tuple[ast.stmt, ...]) -> bool:
    wanted = set(map(id, statements))
    while id(node) not in wanted and node in source.names.parents:
        node = source.names.parents[node]
    return id(node) in wanted
