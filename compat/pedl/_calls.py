"""Call functions of PEDL trials with the arguments that they accept, and locate them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_runtime.errors import TrialLoadError


def call_with_accepted(function: Callable[..., Any], **offered: Any) -> Any:
    """Call a function of the trial with the arguments that it accepts.

    PEDL passed all arguments by position. If the signature does not accept that, parameters get the
    argument of the same name, and other parameters the remaining arguments in order.

    Args:
        function: a function, method or class.
        offered: the arguments that PEDL passed, in its order.

    Returns:
        The return value of the function.

    Raises:
        TrialLoadError: the signature does not fit these arguments.
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
            f"{location(function)}: {name}: expected the parameters ({', '.join(offered)}), "
            f"got {signature}"
        )
    return function(*args, **kwargs)


def _fits(signature: inspect.Signature, *args: Any, **kwargs: Any) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def location(function: Callable[..., Any]) -> str:
    """Return ``file:line`` of a function, method or class, or its ``repr`` without source."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    try:
        file = inspect.getsourcefile(function) or inspect.getfile(function)
        return f"{file}:{max(inspect.getsourcelines(function)[1], 1)}"
    except (TypeError, OSError):
        code = getattr(inspect.getattr_static(type(function), "__call__", None), "__code__", None)
        return f"{code.co_filename}:{code.co_firstlineno}" if code else repr(function)


def require_concrete(trial_class: type) -> type:
    """Return the class if it defines all abstract methods.

    Raises:
        TrialLoadError: a method is missing.
    """
    missing = sorted(getattr(trial_class, "__abstractmethods__", ()))
    if missing:
        raise TrialLoadError(
            f"{location(trial_class)}: {trial_class.__name__} does not define {', '.join(missing)}"
        )
    return trial_class
