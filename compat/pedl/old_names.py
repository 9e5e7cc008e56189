"""Resolve old names of TensorFlow with the table ``pedl2det_names``."""

from __future__ import annotations

import dis
import functools
import importlib
import operator
import sys
from collections.abc import Iterator
from typing import Any

from pedl2det_names import Name, lookup, packages
from pedl2det_names.tensorflow import COMPAT_V1
from pedl2det_runtime.errors import GraphModeNeededError, Pedl2DetError


class UnservedIdiomError(Pedl2DetError, AttributeError):
    """Old code uses a name without a counterpart; the message says what to write instead."""


class NeedsGraphModeError(UnservedIdiomError, GraphModeNeededError):
    """Old code uses a name that works in graph mode only."""


class Unserved:
    """A placeholder for an unsupported name of TensorFlow 1; it raises when it is used.

    Args:
        name: the old name.
        instead: what to write instead.
        in_graph: the object to use in graph mode, or None.
    """

    def __init__(self, name: str, instead: str, in_graph: Any = None) -> None:
        where = "" if in_graph is None else " in eager mode"
        self._message = f"{name} is not supported{where}: {instead}"
        self._in_graph = in_graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._served()(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # introspection
            raise AttributeError(name)
        return getattr(self._served(), name)

    def __get__(self, instance: Any, owner: Any) -> Any:
        """Return the method of an instance, if this is in the place of a method."""
        return self if instance is None else functools.partial(self, instance)

    def _served(self) -> Any:
        import tensorflow as tf

        if self._in_graph is None:
            raise UnservedIdiomError(self._message)
        if tf.compat.v1.executing_eagerly_outside_functions():
            raise NeedsGraphModeError(self._message)
        return self._in_graph


def old_name(row: Name, tf: Any) -> Any:
    """Return the object for an old name of TensorFlow.

    Raises:
        AttributeError: this version has no successor.
    """
    root, _, path = row.old.partition(".")
    if served := _pieces(tf).get(row.support or row.old):
        return served
    new_root, _, new_path = (row.new or "").partition(".")
    if not row.same or not new_path:
        is_v1 = new_path.startswith("compat.v1.")
        in_graph = operator.attrgetter(new_path)(tf) if is_v1 else None
        return Unserved(f"{root.replace('tensorflow', 'tf')}.{path}", row.write, in_graph)
    if path in COMPAT_V1 and row.keywords:  # tf.compat.v1 accepts the old keywords
        return operator.attrgetter(path)(tf.compat.v1)
    module = tf if new_root == "tensorflow" else importlib.import_module(new_root)
    return operator.attrgetter(new_path)(module)


@functools.cache
def _pieces(tf: Any) -> dict[str, Any]:
    """Return the objects of names without a successor, by their support pieces or old names."""
    from pedl import old_functions
    from pedl2det_legacy import keras_functions, sessions, train_optimizers

    return {
        **{name: piece for name, piece in vars(keras_functions).items() if callable(piece)},
        "Session": sessions.Session,
        "get_default_graph": sessions.get_default_graph,
        "get_session": sessions.get_session,
        "set_session": sessions.set_session,
        "multi_gpu_model": old_functions.multi_gpu_model,
        **{
            name: old_functions.train_optimizer(name, make, tf)
            for name, make in vars(train_optimizers).items()
            if name.endswith("Optimizer")
        },
    }


class OldPackage:
    """A removed package of TensorFlow 1, with the names that have moved elsewhere."""

    def __init__(self, dotted: str, tf: Any) -> None:
        self._tf = tf
        self._dotted = dotted

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # introspection
            raise AttributeError(name)
        dotted = f"{self._dotted}.{name}"
        if dotted in packages():
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
        for dotted in packages():
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
