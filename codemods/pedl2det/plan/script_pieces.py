"""The libcst statements that a call of ``fit`` becomes."""

from __future__ import annotations

import ast
from typing import Any

import libcst as cst

from pedl2det.edit import making
from pedl2det.script.fit_call import PARAMETERS


def values(line: Any) -> dict[str, Any]:
    """The values of a ``fit`` statement by parameter."""
    call = line.body[0].value
    parameters = PARAMETERS[call.func.attr.value]
    return {
        argument.keyword.value if argument.keyword else parameters[index]: argument.value
        for index, argument in enumerate(call.args)
    }


def assigned(target: str, value: Any) -> Any:
    """A statement that keeps a value."""
    statement = cst.Assign([cst.AssignTarget(making.expression(target))], closed(value))
    return cst.SimpleStatementLine([statement])


def tupled(parts: list[Any]) -> Any:
    """A tuple of values."""
    return cst.Tuple([cst.Element(closed(value)) for value in parts])


def closed(value: Any) -> Any:
    """A value that may stand on several lines wherever it is put."""
    code = cst.Module([]).code_for_node(value)
    try:
        ast.parse(code)
    except SyntaxError:
        return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return value


def configured(settings: dict[str, Any]) -> Any:
    """The call of ``configure_fit`` with some settings, which keeps the order of the batches."""
    call = making.expression("self.context.configure_fit(shuffle=False)")
    equal = call.args[0].equal
    args = [cst.Arg(value, cst.Name(name), equal=equal) for name, value in settings.items()]
    return cst.SimpleStatementLine([cst.Expr(call.with_changes(args=[*call.args, *args]))])
