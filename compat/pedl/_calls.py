"""Call functions of PEDL trials with the arguments that they accept, and locate them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pedl2det_legacy.calls import accepted, fits
from pedl2det_runtime.errors import TrialLoadError


def call_with_accepted(function: Callable[..., Any], **offered: Any) -> Any:
    """Call a function of the trial with the arguments that it accepts.

    Args:
        function: a function, method or class.
        offered: the arguments that PEDL passed, in its order.

    Returns:
        The return value of the function.

    Raises:
        TrialLoadError: the signature does not fit these arguments.
    """
    args, kwargs = accepted(function, offered)
    if not fits(function, *args, **kwargs):
        name = getattr(function, "__name__", type(function).__name__)
        raise TrialLoadError(
            f"{location(function)}: {name}: expected the parameters ({', '.join(offered)}), "
            f"got {inspect.signature(function)}"
        )
    return function(*args, **kwargs)


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
