"""Serve names of Python and of the libraries around an old trial, as rows of ``pedl2det_names``.

A library is changed when it is imported, so that none is imported in vain; one that was imported
before is changed at once. A name that is missing is looked up when it is asked for.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import pkgutil
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from pedl.old_names import Unserved
from pedl2det_legacy import library_functions
from pedl2det_legacy.old_libraries import old_members
from pedl2det_names import Age, Name
from pedl2det_names.libraries import RESTORED, ROWS
from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2

#: Sets an attribute until the shim is removed.
Put = Callable[[Any, str, Any], None]

#: Packages that later versions of Python no longer have.
_OF_PYTHON = ("imp", "distutils")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that rows are about, also those that are gone, and serves their names."""

    def __init__(self, age: Age, put: Put) -> None:
        self._put = put
        self._rows: dict[str, dict[str, Name]] = {library: {} for library in RESTORED}
        for row in ROWS.values():
            parent, _, name = row.old.rpartition(".")
            if row.since == "" or age in _AGES[row.since]:
                self._rows.setdefault(parent, {})[name] = row
        self._searched: set[str] = set()

    def start(self) -> None:
        """Serve what is imported already, and from here on what will be."""
        for name in sorted(self._rows.keys() & sys.modules.keys()):
            self._serve(sys.modules[name])
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Serve nothing that is imported from here on."""
        sys.meta_path.remove(self)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a module of the table, whose loader serves its names; else None."""
        if fullname not in self._rows or fullname in self._searched:
            return None
        self._searched.add(fullname)  # the other finders are asked
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._searched.remove(fullname)
        if spec is None and ("." in fullname or fullname in _OF_PYTHON):
            return ModuleSpec(fullname, self, is_package=True)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._serve(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Serve the names that rows have of a module that is gone: it has no others."""
        self._serve(module)

    def _serve(self, module: ModuleType) -> None:
        rows = self._rows.get(module.__name__, {})
        changed = [row.old for row in rows.values() if row.old == row.new]
        for owner, name, made in old_members(module, changed):
            self._put(owner, name, made)
        if chained := getattr(getattr(module, "errors", None), "ChainedAssignmentError", None):
            # Since pandas 3 it changes a copy, and says so by a warning alone.
            warnings.filterwarnings("error", category=chained)
        own = getattr(module, "__getattr__", None)

        def __getattr__(name: str) -> Any:  # noqa: N807
            if name in rows:
                return _object(rows[name])
            if own is not None:
                return own(name)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

        self._put(module, "__getattr__", __getattr__)


#: The ages of code for which a name that is still there means what it meant before a version.
_AGES: Mapping[str, tuple[Age, ...]] = {
    TENSORFLOW_2: (Age.TENSORFLOW_1,),
    KERAS_2_11: (Age.TENSORFLOW_1, Age.TENSORFLOW_2),
}


def _object(row: Name) -> Any:
    if row.support is not None:
        return getattr(library_functions, row.support)
    if row.new is None:
        return Unserved(row.old, row.write)
    return pkgutil.resolve_name(row.new)
