"""Lists of parameters that gain or lose some, and keep their shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

#: The kinds of parameters, from the last to the first.
_KINDS = ("star_kwarg", "kwonly_params", "star_arg", "params", "posonly_params")


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


def without_stray_comma(original: cst.Parameters, updated: cst.Parameters) -> cst.Parameters:
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
