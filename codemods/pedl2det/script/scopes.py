"""What keeps the statements of a script from moving into a constructor: names, mostly.

A name of the module becomes a local one there. Whatever would then read another value, or none,
is found here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from pedl2det.facts.project import TrialProject
from pedl2det.findings import Unclear
from pedl2det.script.context import check_given
from pedl2det.script.idioms import check_idioms
from pedl2det.script.parts import Parts
from pedl2det.script.walk import bound_names


def check(project: TrialProject, parts: Parts) -> None:
    """Look for everything that would not mean the same in a class.

    Raises:
        Unclear: the first such place.
    """
    check_idioms(parts)
    _check_shared_names(parts)
    _check_importers(project, parts)
    check_given(parts)


def _check_shared_names(parts: Parts) -> None:
    """Names of the module that move, and that what stays knows too."""
    in_main = set(parts.main.body) if parts.main else set()
    of_module = [node for node in parts.moving if node not in in_main]
    bound = bound_names(of_module)
    gone = {*parts.wrappers, *parts.moving}
    staying = [node for node in parts.source.tree.body if node not in gone]
    for name in bound_names(staying):
        if name in bound:
            raise Unclear(bound[name], f"{name} is bound anew: give this another name")
    _check_order(parts, of_module, staying)
    for node in _staying(parts):
        match node:
            case ast.Name(id=name) if name in bound and _is_of_module(parts, node):
                where = parts.source.names.function_of(node)
                who = where.name if where is not None else "what stays in the module"
                message = f"{who} uses {name}, which the trial's constructor would own: pass it on"
                raise Unclear(node, message)
            case ast.Global(names=names) if bound.keys() & set(names):
                raise Unclear(node, "a function sets a global that the script uses")
    if parts.main is not None:
        twice = bound.keys() & bound_names(parts.main.body).keys()
        if twice:
            name = min(twice)
            message = f"{name} is a name of the module and another one in {parts.main.name}"
            raise Unclear(bound[name], message)


def _check_order(parts: Parts, moving: list[ast.stmt], staying: list[ast.stmt]) -> None:
    """What stays is evaluated first: nothing in it may be called that stood below what moves."""
    first = min((statement.lineno for statement in moving), default=math.inf)
    for statement in staying:
        if statement.lineno < first or not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
        for call in calls:
            if _is_called_at_once(parts, call, statement):
                message = f"{statement.name} calls this when it is defined: define it further up"
                raise Unclear(call, message)


def _is_called_at_once(parts: Parts, node: ast.AST, statement: ast.stmt) -> bool:
    """Whether a node is evaluated when a function or class is defined."""
    while node is not statement:
        child, node = node, parts.source.names.parents[node]
        if isinstance(node, ast.FunctionDef) and child in node.body:
            return False
        if isinstance(node, ast.Lambda):
            return False
    return True


def _is_of_module(parts: Parts, node: ast.Name) -> bool:
    return parts.source.names.binder(node) is parts.source.tree


def _staying(parts: Parts) -> Iterator[ast.AST]:
    """Every node that stays in the module."""
    gone = {id(node) for moving in parts.moving for node in ast.walk(moving)}
    if parts.main is not None:
        gone |= {id(node) for node in ast.walk(parts.main)}
    return (node for node in parts.source.names.nodes if id(node) not in gone)


def _check_importers(project: TrialProject, parts: Parts) -> None:
    module = project.module_of(parts.source)
    for source in project.sources.values():
        for node in source.names.nodes:
            match node:
                case ast.Import(names=aliases):
                    imported = [alias.name for alias in aliases]
                case ast.ImportFrom(module=str(name)):
                    imported = [name]
                case _:
                    continue
            if module in imported:
                message = f"{source.path.name} imports the script, which would run there as well"
                raise Unclear(parts.fit, message)
