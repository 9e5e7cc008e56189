"""The arguments of a call by the names of what they are given to."""

from __future__ import annotations

import ast


def arguments_of(call: ast.Call, parameters: tuple[str, ...]) -> dict[str, ast.expr] | None:
    """The arguments of a call by parameter; None if ``*`` or ``**`` hides some."""
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    given = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        given[keyword.arg] = keyword.value
    return given
