"""Look up a name in all parts of the table."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from pedl2det_names import contrib, harness, keras, numpy, tensorflow
from pedl2det_names.name import Name

_EXACT = {
    **harness.ROWS,
    **harness.AGED,
    **numpy.ROWS,
    **keras.ROWS,
    **tensorflow.ROWS,
    **contrib.ROWS,
}

#: The top-level packages of all names in the table.
_HEADS = frozenset(
    {"tensorflow", "numpy", "keras", "pedl", "determined", "determined_common"}
    | {"keras_preprocessing", "keras_applications"}
)


@functools.cache
def lookup(dotted: str) -> Name | None:
    """Return the row of an old name.

    The first of these applies: the name has its own row; its Keras module is known
    (``keras.layers.core.Dense``); it is in ``tf.contrib``; it is in ``tf.compat.v1`` but not in
    ``tf``. Attributes of a class or function have no row.

    Args:
        dotted: a full dotted name with imports resolved (``tensorflow.ConfigProto``).

    Returns:
        The row, or None if the name is not old.
    """
    if dotted.partition(".")[0] not in _HEADS:
        return None
    return (
        _EXACT.get(dotted)
        or keras.lookup(dotted)
        or contrib.lookup(dotted)
        or tensorflow.lookup(dotted)
    )


def rows() -> Iterator[Name]:
    """Yield all rows of the table, sorted by old name."""
    by_name = dict(_EXACT)
    by_name.update((row.old, row) for row in keras.rows())
    for old in tensorflow.COMPAT_V1:
        dotted = f"tensorflow.{old}"
        if dotted not in by_name and (row := tensorflow.lookup(dotted)):
            by_name[dotted] = row
    yield from (by_name[old] for old in sorted(by_name))
