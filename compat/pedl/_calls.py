"""Calls of what old trials define, with as much as it takes; places for what is wrong with it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors import TrialLoadError


def called(function: Callable[..., Any], **offered: Any) -> Any:
    """Call something of the trial.

    The old harness gave everything by position, and so it is given where that fits. Where the
    function takes less, it gets what it names, and then the rest in its order.

    Args:
        function: a function, method or class.
        offered: what the old harness gave, in its order.

    Raises:
        TrialLoadError: it wants something else.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not written in Python
        return function(*offered.values())
    if _fits(signature, *offered.values()):
        return function(*offered.values())
    left = dict(offered)
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            kwargs |= left
        elif parameter.kind is parameter.KEYWORD_ONLY and name in left:
            kwargs[name] = left.pop(name)
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            if name not in left and parameter.default is not parameter.empty:
                break
            if left:
                args.append(left.pop(name if name in left else next(iter(left))))
    if not _fits(signature, *args, **kwargs):
        name = getattr(function, "__name__", type(function).__name__)
        raise TrialLoadError(
            f"{place(function)}: {name}: expected the parameters ({', '.join(offered)}), "
            f"got {signature}"
        )
    return function(*args, **kwargs)


def _fits(signature: inspect.Signature, *args: Any, **kwargs: Any) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def place(function: Callable[..., Any]) -> str:
    """``file:line`` of a function, method or class; its name where it has none."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    try:
        file = inspect.getsourcefile(function) or inspect.getfile(function)
        return f"{file}:{max(inspect.getsourcelines(function)[1], 1)}"
    except (TypeError, OSError):
        code = getattr(inspect.getattr_static(type(function), "__call__", None), "__code__", None)
        return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(function)


def checked(trial_class: type) -> type:
    """The class, which defines all that it must.

    Raises:
        TrialLoadError: it does not.
    """
    missing = sorted(getattr(trial_class, "__abstractmethods__", ()))
    if missing:
        raise TrialLoadError(
            f"{place(trial_class)}: {trial_class.__name__} does not define {', '.join(missing)}"
        )
    return trial_class
