"""Functions on their own: parameters, the arguments that fill them, decorators."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow.values import Call, Callable


def argument_for(call: Call, function: Callable, name: str) -> ast.expr | None:
    """The argument that a call gives to a parameter; None if it gives none that is visible."""
    for keyword in call.node.keywords:
        if keyword.arg == name:
            return keyword.value
    if _has_star(call.node):
        return None
    names = [one.arg for one in by_position(function, call.bound)]
    if name in names and names.index(name) < len(call.node.args):
        return call.node.args[names.index(name)]
    return None


def parameter_for(
    call: Call, function: Callable, argument: ast.expr | ast.keyword
) -> ast.arg | None:
    """The parameter that an argument of a call fills; None if that is not visible."""
    parameters = by_position(function, call.bound)
    if isinstance(argument, ast.keyword):
        named = [*parameters, *function.args.kwonlyargs]
        return next((one for one in named if one.arg == argument.arg), None)
    if argument not in call.node.args or _has_star(call.node):
        return None
    index = call.node.args.index(argument)
    return parameters[index] if index < len(parameters) else None


def default_of(function: Callable, parameter: ast.arg) -> ast.expr | None:
    """The default value of a parameter."""
    arguments = function.args
    positional = reversed(by_position(function))
    pairs = [*zip(positional, reversed(arguments.defaults), strict=False)]
    pairs += [
        (one, default)
        for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    ]
    return next((default for one, default in pairs if one is parameter), None)


def has_hidden_arguments(call: ast.Call) -> bool:
    """Whether a call unpacks ``*arguments`` or ``**arguments``."""
    return _has_star(call) or any(one.arg is None for one in call.keywords)


def first_parameter(function: Callable) -> str | None:
    """The name of the first parameter, such as ``self``."""
    return next((one.arg for one in by_position(function)), None)


def is_static(function: ast.AST) -> bool:
    """Whether a method is a static one."""
    return _is_decorated(function, "staticmethod")


def is_classmethod(function: ast.AST) -> bool:
    """Whether a method is a class method."""
    return _is_decorated(function, "classmethod")


def _has_star(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Starred) for one in call.args)


def by_position(function: Callable, bound: bool = False) -> list[ast.arg]:
    """The parameters that arguments fill by position; without ``self`` of a bound call."""
    found = [*function.args.posonlyargs, *function.args.args]
    return found[1:] if bound else found


def _is_decorated(function: ast.AST, name: str) -> bool:
    decorators = getattr(function, "decorator_list", ())
    return any(isinstance(one, ast.Name) and one.id == name for one in decorators)


def is_named(decorator: ast.expr, names: Iterable[str]) -> bool:
    """Whether a decorator has one of some names, by whatever module."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    return getattr(decorator, "attr", getattr(decorator, "id", "")) in names
