"""Which callbacks ``keras_callbacks`` returns, and which hooks a callback has."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where
from pedl2det.flow.model_names import called, own_nodes

Hooks = set[str]
_CALLBACK = "tensorflow.keras.callbacks.Callback"
#: By these a class may get hooks that no name in it tells.
_UNSEEN = {"__dict__", "__getattr__", "__getattribute__", "setattr"}


def callbacks_of(
    project: TrialProject,
    source: Source,
    function: ast.FunctionDef,
    seen: frozenset[ast.AST] = frozenset(),
) -> Iterator[tuple[Source, ast.expr]]:
    """The callbacks that a function returns in lists, each with its file.

    Yields:
        The call that makes each; another expression where it is not seen.
    """
    for node in own_nodes(source, function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _of_list(project, source, function, node.value, seen | {function})


def _of_list(
    project: TrialProject,
    source: Source,
    function: ast.FunctionDef,
    value: ast.expr,
    seen: frozenset[ast.AST],
) -> Iterator[tuple[Source, ast.expr]]:
    match value:
        case ast.List(elts=elements):
            for element in elements:
                yield source, _made(source, function, element)
            return
        case ast.IfExp(body=one, orelse=other):
            yield from _of_list(project, source, function, one, seen)
            yield from _of_list(project, source, function, other, seen)
            return
        case ast.Name() if source.names.binder(value) is function:
            yield from _of_name(project, source, function, value, seen)
            return
    helper = called(project, source, value)
    if helper is None or not _gives(*helper) or helper[1] in seen:
        yield source, value
    else:
        yield from callbacks_of(project, *helper, seen)


def _gives(source: Source, function: ast.FunctionDef) -> bool:
    """Whether a function is a plain one that returns something."""
    own = own_nodes(source, function)
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in own)
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own)
    return returns and not yields and not function.decorator_list


def _of_name(
    project: TrialProject,
    source: Source,
    function: ast.FunctionDef,
    value: ast.Name,
    seen: frozenset[ast.AST],
) -> Iterator[tuple[Source, ast.expr]]:
    """The callbacks of a name that lists are bound to and appended to."""
    for use in where.uses_of(source, function, value.id):
        parent = source.names.parents[use]
        match parent:
            case ast.Return():
                continue
            case ast.IfExp(test=test) as chosen if test is not use:
                if not isinstance(source.names.parents[chosen], ast.Return):
                    yield source, chosen
            case ast.Assign(value=bound) | ast.AugAssign(value=bound) if bound is not use:
                yield from _of_list(project, source, function, bound, seen)
            case ast.Attribute(attr="append") as append:
                call = source.names.parents[append]
                made = call.args if isinstance(call, ast.Call) else [append]
                yield from ((source, _made(source, function, one)) for one in made)
            case ast.expr():
                yield source, parent
            case _:
                yield source, use


def _made(source: Source, function: ast.FunctionDef, element: ast.expr) -> ast.expr:
    """The call that makes an element of a list; a name's, if nothing else happens to it."""
    if not isinstance(element, ast.Name) or source.names.binder(element) is not function:
        return element
    made = None
    for use in where.uses_of(source, function, element.id):
        match source.names.parents[use]:
            case ast.Assign(targets=[target], value=ast.Call() as call) if target is use:
                if made is not None:
                    return element
                made = call
            case ast.List():
                pass
            case ast.Call(func=ast.Attribute(attr="append")):
                pass
            case _:
                return element
    return made or element


def hooks_of(project: TrialProject, own: ast.ClassDef) -> Hooks | None:
    """What a callback's class, and those of the directory that it derives from, have.

    Returns:
        The names of its scope; None if it may have others.
    """
    found: Hooks = set()
    seen: set[ast.ClassDef] = set()
    while own not in seen:
        seen.add(own)
        if own.keywords or own.decorator_list or len(own.bases) != 1:
            return None
        if any(_word(node) in _UNSEEN for node in ast.walk(own)):
            return None
        found |= set(_names(own))
        home = project.calls.home[own]
        if home.names.qualified(own.bases[0]) == _CALLBACK:
            return found
        base = project.calls.meaning(home, own.bases[0])
        if not isinstance(base, ast.ClassDef):
            return None
        own = base
    return None


def _names(own: ast.ClassDef) -> Iterator[str]:
    """The names that the body of a class may bind, on whatever path."""
    waiting: list[ast.AST] = list(own.body)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
                continue
            case ast.ClassDef(name=name):
                yield name
                continue
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
        waiting += ast.iter_child_nodes(node)


def _word(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.FunctionDef(name=word):
            return word
    return None
