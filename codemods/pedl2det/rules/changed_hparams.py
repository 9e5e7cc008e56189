"""Which hyperparameters a function uses, and which dicts of them functions change."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pedl2det.analysis.flow import Use, Way
from pedl2det.analysis.trial import Trial


class Changed:
    """Which parameters hold a dict that one function changes and another one reads."""

    def __init__(self, trial: Trial, parameters: Sequence[ast.arg]) -> None:
        uses = {
            one: [use for read in trial.flow.reads_of(one) for use in trial.flow.uses(read)]
            for one in parameters
        }
        self._used = {
            one: {key for use in uses[one] for key in keys_of(trial, use)} for one in uses
        }
        self._changed = {
            one: {key for use in uses[one] if use.is_change for key in keys_of(trial, use)}
            for one in uses
        }

    def here(self, parameter: ast.arg) -> bool:
        """Whether the parameter's own function changes the dict."""
        return bool(self._changed.get(parameter))

    def is_shared(self, parameter: ast.arg) -> bool:
        """Whether what one function changes is used by another, and the parameter is either's."""
        return any(
            _meet(self._changed[parameter], self._used[other])
            or _meet(self._changed[other], self._used[parameter])
            for other in self._used
            if parameter in self._used and other is not parameter
        )


def _meet(some: set[object], others: set[object]) -> bool:
    """Whether two sets of keys may have one in common; None stands for any key."""
    return bool(some and others) and (None in some | others or not some.isdisjoint(others))


def keys_of(trial: Trial, use: Use) -> tuple[object, ...]:
    """The hyperparameters that a use reads or changes; None for any."""
    match use.way, use.around:
        case ((Way.ITEM | Way.STORED), ast.Subscript(slice=key)):
            return (constant(trial, key),)
        case Way.METHOD, ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=args):
            return (constant(trial, args[0]) if args else None,)
        case Way.METHOD, ast.Call(func=ast.Attribute(attr="update"), args=[], keywords=given):
            return tuple(one.arg for one in given)
        case Way.TESTED, ast.Compare(left=key):
            return (constant(trial, key),)
    return (None,)


def constant(trial: Trial, key: ast.expr) -> object:
    """The value of a key, if it has just one that is visible."""
    found = trial.flow.origins(key)
    if len(found) == 1 and isinstance(found[0].node, ast.Constant) and not found[0].path:
        return found[0].node.value
    return None
