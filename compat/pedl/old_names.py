"""Old names of TensorFlow that are served as ``pedl2det_names`` has them."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pedl.old_tensorflow import Unserved, UnservedIdiomError
from pedl2det_names import COMPAT_V1, Name, lookup, rows

_V1 = re.compile(r"tensorflow\.compat\.v1\.")


def old_name(row: Name, tf: Any) -> Any:
    """The object that an old name means: that of ``tf.compat.v1``, or that of its new name.

    Args:
        row: the row of the name.
        tf: TensorFlow.

    Raises:
        AttributeError: this TensorFlow has neither.
    """
    path = row.old.removeprefix("tensorflow.")
    if row.support == "scale_loss":
        return functools.partial(_scale_loss, tf)
    if not row.same or row.new is None:
        in_graph = _V1.match(row.new or "") and operator.attrgetter(path)(tf.compat.v1)
        return Unserved(f"tf.{path}", row.write, in_graph or None)
    if path == "gfile":
        return _quiet(tf.compat.v1.gfile)
    if path in COMPAT_V1 and row.keywords:  # it takes the old ones
        return operator.attrgetter(path)(tf.compat.v1)
    return operator.attrgetter(row.new.removeprefix("tensorflow."))(tf)


def _scale_loss(tf: Any, optimizer: Any, loss_scale: Any = "dynamic") -> Any:
    """Wrap an optimizer as the class did before TensorFlow 2.4."""
    kind = tf.keras.mixed_precision.LossScaleOptimizer
    if loss_scale == "dynamic":
        return kind(optimizer)
    return kind(optimizer, dynamic=False, initial_scale=loss_scale)


def _quiet(module: Any) -> ModuleType:
    """A copy of a module of ``tf.compat.v1`` that does not warn of its names."""
    copy = ModuleType(f"tensorflow.{module.__name__.rpartition('.')[2]}", module.__doc__)
    names = (name for name in dir(module) if not name.startswith("_"))
    copy.__dict__.update({name: getattr(module, name) for name in names})
    return copy


class OldPackage:
    """A package of TensorFlow 1 that is gone, with the names of it that are elsewhere.

    Args:
        dotted: the full name of the package.
        tf: TensorFlow.
    """

    def __init__(self, dotted: str, tf: Any) -> None:
        self._tf = tf
        self._dotted = dotted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what introspection asks
            raise AttributeError(name)
        dotted = f"{self._dotted}.{name}"
        if dotted in _packages():
            return OldPackage(dotted, self._tf)
        row = lookup(dotted) or lookup(self._dotted)
        assert row is not None
        if row.old != dotted:
            said = dotted.replace("tensorflow", "tf", 1)
            raise UnservedIdiomError(f"{said} is not served: {row.write}")
        return old_name(row, self._tf)

    def packages(self) -> Iterator[tuple[str, OldPackage]]:
        """Return the package and those below it, by their full names."""
        yield self._dotted, self
        for dotted in _packages():
            if dotted.startswith(f"{self._dotted}."):
                yield dotted, OldPackage(dotted, self._tf)


@functools.cache
def _packages() -> frozenset[str]:
    """The packages that hold a name with a row of its own."""
    return frozenset(row.old.rpartition(".")[0] for row in rows())
