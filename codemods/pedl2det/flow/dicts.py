"""Whether a dict that a function is given stays as it was, wherever it is handed on to."""

from __future__ import annotations

import ast

from pedl2det.facts.project import TrialProject
from pedl2det.facts.source import Source
from pedl2det.flow import where

_READERS = {"bool", "dict", "enumerate", "isinstance", "iter", "len", "list", "print", "repr"}
_READERS |= {"set", "sorted", "str", "tuple"}
_READING_METHODS = {"copy", "get", "items", "keys", "values"}


def is_only_read(
    project: TrialProject,
    source: Source,
    function: ast.FunctionDef,
    name: str,
    seen: frozenset[ast.AST] = frozenset(),
) -> bool:
    """Whether every use of a function's own name reads the dict, also where it is handed on."""
    if function in seen:
        return True
    uses = where.uses_of(source, function, name)
    return all(is_read(project, source, use, seen | {function}) for use in uses)


def is_read(
    project: TrialProject, source: Source, use: ast.expr, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether one use of a dict or list reads it, also where it is handed on."""
    if not isinstance(getattr(use, "ctx", None), ast.Load):
        return False
    parent = source.names.parents[use]
    outer = source.names.parents.get(parent)
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is use
        case ast.Attribute(attr=attribute):
            return attribute in _READING_METHODS
        case ast.Compare() | ast.FormattedValue() | ast.If() | ast.BinOp():
            return True
        case ast.IfExp(test=test) if test is use:
            return True
        case ast.Dict(keys=keys, values=values):
            return keys[values.index(use)] is None  # {**hparams}
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return iterated is use
        case ast.keyword(arg=None):
            return True  # f(**hparams) gets a dict of its own
        case ast.keyword(arg=str(argument)) if isinstance(outer, ast.Call):
            return _is_read_by(project, source, outer, argument, seen)
        case ast.Call(args=arguments) if use in arguments:
            if any(isinstance(one, ast.Starred) for one in arguments):
                return False
            return _is_read_by(project, source, parent, arguments.index(use), seen)
    return False


def _is_read_by(
    project: TrialProject,
    source: Source,
    call: ast.Call,
    argument: int | str,
    seen: frozenset[ast.AST],
) -> bool:
    """Whether what is called only reads one of its arguments."""
    match call.func:
        case ast.Name(id=name) if name in _READERS and not source.names.module_bindings(name):
            return True
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            method = where.methods(project).get(name)
            if method is None or method.decorator_list:
                return False
            home, shift = where.file_of(project, method), 1
        case _:
            found = project.calls.meaning(source, call.func)
            if not isinstance(found, ast.FunctionDef):
                return False
            method, home, shift = found, project.calls.home[found], 0
    parameters = [one.arg for one in method.args.args]
    if isinstance(argument, int):
        if argument + shift >= len(parameters):
            return False
        argument = parameters[argument + shift]
    if argument not in (*parameters, *(one.arg for one in method.args.kwonlyargs)):
        return False
    return is_only_read(project, home, method, argument, seen)
