"""Say of an error of old code that it comes of a library that is newer than the code.

The extra ``aged`` of this package lists the newest versions that still work as those of 2019 did,
as far as there are any for today's Python.
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
    names = [frame.f_globals for frame, _ in traceback.walk_tb(error.__traceback__)]
    names = [one for one in names if _root(one.get("__name__")) not in sys.stdlib_module_names]
    if not names:
        return
    inner = names[-1]
    yield _root(inner.get("__name__"))
    match error:
        case AttributeError(obj=about):
            yield _origin(about)
        case ImportError(name=str(name)):
            yield _root(name)
        case TypeError() if "argument" in str(error):  # it names a function, and no module
            yield from map(_origin, inner.values())


def _origin(value: Any) -> str:
    """The top-level module that a value, its class or its function comes from."""
    if isinstance(value, ModuleType):
        return _root(value.__name__)
    return _root(getattr(value, "__module__", None) or type(value).__module__)


def _root(module: Any) -> str:
    return module.partition(".")[0] if isinstance(module, str) else ""
