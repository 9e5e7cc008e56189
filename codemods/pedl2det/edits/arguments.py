"""Lists of arguments that gain or lose some, and keep their shape."""

from __future__ import annotations

from typing import Any

import libcst as cst

from pedl2det.edits import templates


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
