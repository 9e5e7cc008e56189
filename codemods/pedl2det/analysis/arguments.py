"""The arguments of a call by the names of the parameters that they fill."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def arguments_of(
    call: ast.Call, parameters: Sequence[str], **aliases: str
) -> dict[str, ast.expr] | None:
    """The arguments of a call by the names of parameters; None if they are not all visible.

    Args:
        call: the call.
        parameters: the names in their order.
        aliases: other names of parameters.
    """
    if len(call.args) > len(parameters) or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    found = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        name = aliases.get(keyword.arg or "", keyword.arg or "")
        if name not in parameters or name in found:
            return None
        found[name] = keyword.value
    return found
