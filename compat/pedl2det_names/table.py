"""Answers about any name: the rows of all parts of the table, then what follows from them."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from pedl2det_names import contrib, harness, keras, numpy, tensorflow
from pedl2det_names.compat_v1 import COMPAT_V1
from pedl2det_names.name import Name

_EXACT = {
    **harness.ROWS,
    **harness.AGED,
    **numpy.ROWS,
    **keras.ROWS,
    **tensorflow.ROWS,
    **contrib.ROWS,
}

#: What every name in the table begins with.
_HEADS = frozenset(
    {"tensorflow", "numpy", "keras", "pedl", "determined", "determined_common"}
    | {"keras_preprocessing", "keras_applications"}
)


@functools.cache
def lookup(dotted: str) -> Name | None:
    """Find the row for an old name.

    Args:
        dotted: a full dotted name, as imports resolve it (``tensorflow.ConfigProto``).

    Returns:
        The row, or None if the name is not old. In this order: a row of its own; the answer of
        the Keras module that it is in (``keras.layers.core.Dense``); ``tf.contrib``; the name in
        ``tf.compat.v1``, if it is gone from ``tf``. Attributes of a class or a function have no
        answer: ask for the class then, or use :func:`find`.
    """
    if dotted.partition(".")[0] not in _HEADS:
        return None
    return (
        _EXACT.get(dotted)
        or keras.lookup(dotted)
        or contrib.lookup(dotted)
        or tensorflow.lookup(dotted)
    )


def find(dotted: str) -> tuple[Name, str] | None:
    """Find the row for the longest beginning of a dotted name that has one.

    Returns:
        The row and what follows it in ``dotted``: for ``tensorflow.OptimizerOptions.ON_2`` the row
        of ``tensorflow.OptimizerOptions`` and ``ON_2``. None if no beginning of it has a row.
    """
    head, rest = dotted, ""
    while head:
        if row := lookup(head):
            return row, rest
        head, _, last = head.rpartition(".")
        rest = f"{last}.{rest}".rstrip(".")
    return None


def rows() -> Iterator[Name]:
    """Every name that has a row of its own, sorted."""
    found = dict(_EXACT)
    found.update((row.old, row) for row in keras.rows())
    for old in COMPAT_V1:
        dotted = f"tensorflow.{old}"
        if dotted not in found and (row := tensorflow.lookup(dotted)):
            found[dotted] = row
    yield from (found[old] for old in sorted(found))
