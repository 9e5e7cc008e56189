"""Questions about functions and methods (``determined.util``)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def get_member_func(obj: Any, func_name: str) -> Any:
    """Return a method of an object; None if it has no such method."""
    found = getattr(obj, func_name, None)
    return found if callable(found) else None


def has_param(fn: Callable[..., Any], name: str, pos: int | None = None) -> bool:
    """Return whether a function has a parameter of this name, or one at a position."""
    parameters = inspect.signature(fn).parameters
    return name in parameters or (pos is not None and len(parameters) > pos)


def is_overridden(full_method: Any, parent_class: Any) -> bool:
    """Return whether a method is not that of a class."""
    return bool(full_method.__qualname__.rpartition(".")[0] != parent_class.__name__)
