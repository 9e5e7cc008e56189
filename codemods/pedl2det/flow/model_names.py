"""The names under which a function knows the model that it returns, and what fits it there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.facts.arguments import arguments_of
from pedl2det.facts.project import Function, TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where

#: Methods of a model that train it.
FITS = {"fit", "fit_generator", "train_on_batch"}


def own_nodes(source: Source, function: ast.FunctionDef) -> list[ast.stmt | ast.expr]:
    """The statements and expressions of a function, without those of what it defines."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.stmt | ast.expr)
        and source.names.definition_around(node) is function
    ]


def names_of(
    project: TrialProject, function: ast.FunctionDef, name: str
) -> dict[str, ast.Assign | None]:
    """Every name of one model: ``self.net = net = ...`` gives it two, ``self.net = net`` too.

    Returns:
        For each, the assignment to several names that binds it; None for the name itself.
    """
    found: dict[str, ast.Assign | None] = {name: None}
    assigns = [node for node in function.body if isinstance(node, ast.Assign)]
    while _is_bound_once(project, function, name):
        for assign in assigns:
            members = [ast.unparse(one) for one in (*assign.targets, assign.value)]
            more = [
                one
                for one in members
                if one not in found and _is_bound_once(project, function, one)
            ]
            if more and not found.keys().isdisjoint(members):
                found |= {one: assign for one in (*more, *members) if one in more or one in found}
                break
        else:
            break
    return found


def _is_bound_once(project: TrialProject, function: ast.FunctionDef, name: str) -> bool:
    """Whether one place binds a name: of a function, or an attribute of the trial."""
    scopes: Iterable[ast.AST] = [function]
    if "." in name and project.script is None:
        scopes = {function, *(method for _, method in where.all_methods(project))}
    stores = [
        node
        for scope in scopes
        for node in ast.walk(scope)
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) and ast.unparse(node) == name
    ]
    return len(stores) == 1


def called(project: TrialProject, source: Source, node: ast.AST | None) -> Function | None:
    """The function of the directory, or method of the trial, that an expression calls."""
    if not isinstance(node, ast.Call) or project.script is not None:
        return None
    meant = project.calls.meaning(source, node.func)
    if isinstance(meant, ast.FunctionDef):
        return project.calls.home[meant], meant
    match node.func:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            method = where.methods(project).get(name)
            if method is not None and not method.decorator_list and method.args.args:
                return where.file_of(project, method), method
    return None


def parameter(
    source: Source, function: ast.FunctionDef, call: ast.Call, names: Iterable[str]
) -> str | None:
    """The parameter by which a call hands one of some names to a function."""
    is_method = isinstance(source.names.parents[function], ast.ClassDef)
    parameters = [one.arg for one in function.args.args][1 if is_method else 0 :]
    given = arguments_of(call, tuple(parameters)) or {}
    found = [one for one, value in given.items() if ast.unparse(value) in names]
    return found[0] if len(found) == 1 else None


def fits(
    project: TrialProject, source: Source, function: ast.FunctionDef, names: Iterable[str]
) -> Iterator[tuple[Source, ast.AST]]:
    """Where a model is trained by hand: by its names, or in a function that it is handed to."""
    names = _maybe_named(function, set(names))
    attributes = {name for name in names if "." in name}
    functions: list[tuple[Source, ast.FunctionDef, set[str]]] = [(source, function, names)]
    if attributes:
        functions += [(*method, attributes) for method in where.all_methods(project)]
    for home, one, known in functions:
        for node in ast.walk(one):
            match node:
                case ast.Attribute(value=value, attr=attr) if attr in FITS:
                    if ast.unparse(value) in known:
                        yield home, node
                case ast.Call() if not known.isdisjoint(_given(node)):
                    meant = _meant(project, home, node)
                    if meant is not None and _fits(project, *meant, frozenset()):
                        yield home, node


def _given(call: ast.Call) -> set[str]:
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    return {ast.unparse(one) for one in arguments if isinstance(one, ast.Name | ast.Attribute)}


def _meant(
    project: TrialProject, source: Source, call: ast.Call
) -> tuple[Source, ast.FunctionDef | ast.ClassDef] | None:
    """What a call calls, if the directory defines it: a class with all its methods."""
    meant = project.calls.meaning(source, call.func)
    if isinstance(meant, ast.ClassDef):
        return project.calls.home[meant], meant
    return called(project, source, call)


def _maybe_named(function: ast.FunctionDef, names: set[str]) -> set[str]:
    """The names that mean the same as some others at some time."""
    links = [
        {ast.unparse(one) for one in parts if isinstance(one, ast.Name | ast.Attribute)}
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for parts in [(*node.targets, node.value)]
    ]
    while more := [link for link in links if link & names and not link <= names]:
        names = names.union(*more)
    return names


def _fits(
    project: TrialProject,
    source: Source,
    root: ast.FunctionDef | ast.ClassDef,
    seen: frozenset[ast.AST],
) -> bool:
    """Whether something is trained in what was handed the model, or where that hands things to."""
    for node in ast.walk(root) if root not in seen else ():
        if isinstance(node, ast.Attribute) and node.attr in FITS:
            return True
        if isinstance(node, ast.Call) and _given(node):
            meant = _meant(project, source, node)
            if meant is not None and _fits(project, *meant, seen | {root}):
                return True
    return False
