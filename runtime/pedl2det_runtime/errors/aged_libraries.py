"""Hints that a library newer than the trial's code may be the cause of an error.

The extra ``aged`` of this package lists the newest versions that still work as those of 2019 did.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Set
from importlib import metadata
from types import ModuleType
from typing import Any

EXTRA = "aged"
COMMAND = f"pip install 'pedl2det[{EXTRA}]'"


def hints(error: BaseException) -> Iterator[str]:
    """Yield what to install, where a newer library may be the cause of an error."""
    if isinstance(error, OSError):  # it is about files
        return
    for library in newer(set(_suspects(error))):
        yield f"{library}, than the code may expect: {COMMAND}"


def newer(modules: Set[str]) -> Iterator[str]:
    """Yield the libraries of some top-level modules that are newer than those of the extra."""
    from packaging.requirements import Requirement

    owners = metadata.packages_distributions() if modules - {""} else {}
    names = {name.lower() for module in modules for name in owners.get(module, ())}
    for text in metadata.requires("pedl2det") or ():
        needed = Requirement(text)
        if needed.marker is None or needed.name not in names:
            continue
        is_aged = needed.marker.evaluate({"extra": EXTRA}) and not needed.marker.evaluate()
        installed = metadata.version(needed.name)
        if is_aged and not needed.specifier.contains(installed, prereleases=True):
            yield f"{needed.name} {installed} is newer than {needed.specifier}"


def _suspects(error: BaseException) -> Iterator[str]:
    """Yield the top-level modules that raised an error, or whose objects it is about."""
    frames = [frame.f_globals for frame, _ in traceback.walk_tb(error.__traceback__)]
    frames = [
        names for names in frames if _root(names.get("__name__")) not in sys.stdlib_module_names
    ]
    if not frames:
        return
    innermost = frames[-1]
    yield _root(innermost.get("__name__"))
    match error:
        case AttributeError(obj=owner):
            yield _origin(owner)
        case ImportError(name=str(name)):
            yield _root(name)
        case TypeError() if "argument" in str(error):  # it names a function, and no module
            yield from map(_origin, innermost.values())


def _origin(value: Any) -> str:
    """Return the top-level module that defines a value, or its class."""
    if isinstance(value, ModuleType):
        return _root(value.__name__)
    return _root(getattr(value, "__module__", None) or type(value).__module__)


def _root(module: Any) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""
