"""Lists of arguments and of parameters that gain or lose some, and keep their shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edits import templates

#: The kinds of parameters, from the last to the first.
_KINDS = ("star_kwarg", "kwonly_params", "star_arg", "params", "posonly_params")


def with_argument(call: Any, argument: cst.Arg, first: bool) -> Any:
    """A call with one more argument: the first, or the last that its kind may be."""
    plain = argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    args = [one.with_changes(value=templates.in_parentheses(one.value)) for one in call.args]
    if first:
        return call.with_changes(args=[plain, *args])
    at = len(args)
    if argument.keyword is None:  # a positional argument goes before keywords
        at = next((i for i, one in enumerate(args) if one.keyword or one.star == "**"), at)
    elif args and args[-1].star == "**":
        at -= 1
    if args and at == len(args):
        args[-1], plain = _after(args[-1], plain, call.whitespace_before_args)
    return call.with_changes(args=[*args[:at], plain, *args[at:]])


def without_stray_comma(original: cst.Call, updated: cst.Call) -> cst.Call:
    """A call of which arguments were dropped: what stood behind the last one still does."""
    if len(updated.args) == len(original.args):
        return updated
    if not updated.args:
        return updated.with_changes(whitespace_before_args=cst.SimpleWhitespace(""))
    end = original.args[-1]
    last = updated.args[-1].with_changes(
        comma=end.comma, whitespace_after_arg=end.whitespace_after_arg
    )
    return updated.with_changes(args=[*updated.args[:-1], last])


def _after(last: cst.Arg, new: cst.Arg, between: Any) -> tuple[cst.Arg, cst.Arg]:
    """The last argument of a call and a new one behind it, which takes over what follows."""
    new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    comma: Any = cst.MaybeSentinel.DEFAULT
    if isinstance(last.comma, cst.Comma):  # each argument stands on a line of its own
        is_tight = isinstance(between, cst.SimpleWhitespace) and not between.value
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" ") if is_tight else between)
    tight = cst.SimpleWhitespace("")
    return last.with_changes(comma=comma, whitespace_after_arg=tight), new


def with_parameter(function: Any, code: str, in_class: bool) -> Any:
    """A function or lambda with a new first parameter; in a method it is behind ``self``."""
    made: Any = cst.parse_statement(f"def f({code}): pass")
    new = made.params.params[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    old = function.params
    kind = "posonly_params" if old.posonly_params else "params"
    names = list(getattr(old, kind))
    names.insert(1 if names and in_class and not _is_static(function) else 0, new)
    changed = old.with_changes(**{kind: names})
    function = function.with_changes(params=changed)
    is_only = len(changed.params) == 1 and changed.star_arg is cst.MaybeSentinel.DEFAULT
    if is_only and isinstance(function, cst.FunctionDef):
        return function.with_changes(whitespace_before_params=cst.SimpleWhitespace(""))
    return function


def _is_static(function: cst.FunctionDef) -> bool:
    names = [one.decorator for one in function.decorators]
    return any(isinstance(one, cst.Name) and one.value == "staticmethod" for one in names)


def parameters_without_stray_comma(
    original: cst.Parameters, updated: cst.Parameters
) -> cst.Parameters:
    """Parameters of which some were dropped: behind the last one stands what stood there before."""
    before, after = _last(original), _last(updated)
    if before is None or after is None or _count(updated) == _count(original):
        return updated
    (_, end), (kind, last) = before, after
    if kind == "posonly_params":  # its comma is behind the slash
        slash: Any = updated.posonly_ind
        return updated.with_changes(posonly_ind=slash.with_changes(comma=end.comma))
    closed = last.with_changes(comma=end.comma, whitespace_after_param=end.whitespace_after_param)
    if isinstance(getattr(updated, kind), cst.Param):
        return updated.with_changes(**{kind: closed})
    return updated.with_changes(**{kind: [*getattr(updated, kind)[:-1], closed]})


def closed_up(function: Any) -> Any:
    """A function or lambda without parameters keeps nothing of the space that they had."""
    if function.params.children:
        return function
    if isinstance(function, cst.Lambda):
        return function.with_changes(whitespace_after_lambda=cst.MaybeSentinel.DEFAULT)
    return function.with_changes(whitespace_before_params=cst.SimpleWhitespace(""))


def _last(parameters: cst.Parameters) -> tuple[str, cst.Param] | None:
    """The kind of the last parameter, and the parameter."""
    for kind in _KINDS:
        found = getattr(parameters, kind)
        if isinstance(found, cst.Param):
            return kind, found
        if isinstance(found, Sequence) and found:
            return kind, found[-1]
    return None


def _count(parameters: cst.Parameters) -> int:
    return sum(isinstance(one, cst.Param) for one in parameters.children)
