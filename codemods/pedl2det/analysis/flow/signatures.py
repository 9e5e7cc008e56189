"""Functions on their own: parameters, the arguments that fill them, decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow.values import Call, Callable


def _arguments(call: Call, function: Callable) -> dict[str, ast.expr]:
    """The visible arguments of a call by the names of the parameters that they fill."""
    found: dict[str, ast.expr] = {}
    if not any(isinstance(one, ast.Starred) for one in call.node.args):
        names = [one.arg for one in by_position(function, call.bound)]
        found = dict(zip(names, call.node.args, strict=False))
    return found | {one.arg: one.value for one in call.node.keywords if one.arg}


def argument_for(call: Call, function: Callable, name: str) -> ast.expr | None:
    """The argument that a call gives to a parameter; None if it gives none that is visible."""
    return _arguments(call, function).get(name)


def parameter_for(call: Call, function: Callable, argument: ast.expr) -> ast.arg | None:
    """The parameter that an argument of a call fills; None if that is not visible."""
    arguments = _arguments(call, function)
    parameters = [*by_position(function), *function.args.kwonlyargs]
    return next((one for one in parameters if arguments.get(one.arg) is argument), None)


def default_of(function: Callable, parameter: ast.arg) -> ast.expr | None:
    """The default value of a parameter."""
    arguments = function.args
    last = zip(reversed(by_position(function)), reversed(arguments.defaults), strict=False)
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {**dict(last), **dict(named)}.get(parameter)


def has_hidden_arguments(call: ast.Call) -> bool:
    """Whether a call unpacks ``*arguments`` or ``**arguments``."""
    is_starred = any(isinstance(one, ast.Starred) for one in call.args)
    return is_starred or any(one.arg is None for one in call.keywords)


def by_position(function: Callable, bound: bool = False) -> list[ast.arg]:
    """The parameters that arguments fill by position; without ``self`` of a bound call."""
    found = [*function.args.posonlyargs, *function.args.args]
    return found[1:] if bound else found


def first_parameter(function: Callable) -> str | None:
    """The name of the first parameter, such as ``self``."""
    return next((one.arg for one in by_position(function)), None)


def is_static(function: ast.AST) -> bool:
    """Whether a method is a static one."""
    return _is_decorated(function, "staticmethod")


def is_classmethod(function: ast.AST) -> bool:
    """Whether a method is a class method."""
    return _is_decorated(function, "classmethod")


def _is_decorated(function: ast.AST, name: str) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return any(isinstance(one, ast.Name) and one.id == name for one in decorators)


def has_only(function: ast.AST, names: Iterable[str]) -> bool:
    """Whether all decorators of a function have one of some names, by whatever module."""
    decorators = [
        one.func if isinstance(one, ast.Call) else one
        for one in getattr(function, "decorator_list", ())
    ]
    return all(getattr(one, "attr", getattr(one, "id", "")) in names for one in decorators)
