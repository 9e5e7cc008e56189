"""Resolve old names of TensorFlow with the table ``pedl2det_names``."""

from __future__ import annotations

import dis
import functools
import operator
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pedl.old_tensorflow import Unserved, UnservedIdiomError
from pedl2det_names import COMPAT_V1, Name, lookup, rows

_V1 = re.compile(r"tensorflow\.compat\.v1\.")


def old_name(row: Name, tf: Any) -> Any:
    """Return the object for an old name: that of ``tf.compat.v1`` or of its new name.

    Args:
        row: the row of the name in the table.
        tf: TensorFlow.

    Raises:
        AttributeError: this version of TensorFlow has neither.
    """
    path = row.old.removeprefix("tensorflow.")
    if row.support == "scale_loss":
        from pedl2det_legacy.keras_functions import scale_loss

        return scale_loss
    if not row.same or row.new is None:
        in_graph = _V1.match(row.new or "") and operator.attrgetter(path)(tf.compat.v1)
        return Unserved(f"tf.{path}", row.write, in_graph or None)
    if path == "gfile":
        return _quiet(tf.compat.v1.gfile)
    if path in COMPAT_V1 and row.keywords:  # tf.compat.v1 accepts the old keywords
        return operator.attrgetter(path)(tf.compat.v1)
    return operator.attrgetter(row.new.removeprefix("tensorflow."))(tf)


def _quiet(module: Any) -> ModuleType:
    """Return a copy of a module of ``tf.compat.v1`` without deprecation warnings."""
    copy = ModuleType(f"tensorflow.{module.__name__.rpartition('.')[2]}", module.__doc__)
    names = (name for name in dir(module) if not name.startswith("_"))
    copy.__dict__.update({name: getattr(module, name) for name in names})
    return copy


class OldPackage:
    """A removed package of TensorFlow 1, with the names that have moved elsewhere.

    Args:
        dotted: the full name of the package.
        tf: TensorFlow.
    """

    def __init__(self, dotted: str, tf: Any) -> None:
        self._tf = tf
        self._dotted = dotted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # introspection
            raise AttributeError(name)
        dotted = f"{self._dotted}.{name}"
        if dotted in _packages():
            return OldPackage(dotted, self._tf)
        row = lookup(dotted) or lookup(self._dotted)
        assert row is not None
        if row.old != dotted:
            shown = dotted.replace("tensorflow", "tf", 1)
            raise UnservedIdiomError(f"{shown} is not supported: {row.write}")
        return old_name(row, self._tf)

    def packages(self) -> Iterator[tuple[str, OldPackage]]:
        """Yield this package and its subpackages, with their full names."""
        yield self._dotted, self
        for dotted in _packages():
            if dotted.startswith(f"{self._dotted}."):
                yield dotted, OldPackage(dotted, self._tf)


class HiddenPackage(OldPackage):
    """A removed package that ``hasattr`` does not find; it is ``__getattr__`` of its parent.

    Old code asks ``hasattr(tf, "contrib")`` to tell TensorFlow 1 from TensorFlow 2, and what it
    does without ``contrib`` is what works today.
    """

    def __call__(self, name: str) -> OldPackage:
        """Return this package for an expression such as ``tf.contrib``.

        Raises:
            AttributeError: it is another name, or ``hasattr`` or ``getattr`` asks for it.
        """
        asking = sys._getframe(1)
        operation = dis.opname[asking.f_code.co_code[asking.f_lasti]]
        parent, _, own = self._dotted.rpartition(".")
        if name != own or operation not in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            raise AttributeError(f"module {parent!r} has no attribute {name!r}")
        return self


@functools.cache
def _packages() -> frozenset[str]:
    """Return the parent packages of all names in the table."""
    return frozenset(row.old.rpartition(".")[0] for row in rows())
