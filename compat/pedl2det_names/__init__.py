"""The table of old names of PEDL, Determined, Keras, TensorFlow 1 and other libraries.

The package contains only data and imports only the standard library. ``pedl`` resolves these names
for old trials; ``pedl2det`` rewrites them.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import replace

from pedl2det_names import harness, keras, libraries, tensorflow
from pedl2det_names.harness import is_legacy, mentions_legacy
from pedl2det_names.keras import CONVOLUTIONS, IMAGE_RANGES, IMAGES_DIFFER
from pedl2det_names.name import Age, Name
from pedl2det_names.tensorflow import COMPAT_V1

__all__ = ["CONVOLUTIONS", "IMAGES_DIFFER", "IMAGE_RANGES", "Age", "Name", "harness"]
__all__ += ["is_legacy", "keras", "lookup", "mentions_legacy", "packages", "rows"]

_EXACT = {**harness.ROWS, **harness.AGED, **keras.ROWS, **tensorflow.ROWS, **libraries.ROWS}

#: The top-level packages of all names in the table.
_HEADS = frozenset(
    {"tensorflow", "keras", "pedl", "determined", "determined_common"}
    | {*keras.PACKAGES, *libraries.HEADS}
)
_OF_BACKEND = re.compile(r"keras\.backend\.(?:tensorflow_backend\.)?tf\.")


@functools.cache
def lookup(dotted: str) -> Name | None:
    """Return the row of a full dotted name (``tensorflow.ConfigProto``); None if it is not old.

    The first of these applies: the name has its own row; its Keras module is known
    (``keras.layers.core.Dense``); it is in ``tf.contrib``; it is in ``tf.compat.v1`` but not in
    ``tf``. Attributes of a class or function have no row.
    """
    if dotted.partition(".")[0] not in _HEADS:
        return None
    if (found := _OF_BACKEND.match(dotted)) is not None:  # TensorFlow by Keras's own import of it
        today = f"tensorflow.{dotted[found.end() :]}"
        return replace(lookup(today) or Name("", today), old=dotted)
    return _EXACT.get(dotted) or keras.lookup(dotted) or tensorflow.lookup(dotted)


@functools.cache
def packages() -> frozenset[str]:
    """Return the modules and packages in which the table has a name."""
    return frozenset(row.old.rpartition(".")[0] for row in rows())


def rows() -> Iterator[Name]:
    """Yield all rows of the table, sorted by old name."""
    by_name = {**_EXACT, **{row.old: row for row in keras.rows()}}
    for old in COMPAT_V1:
        dotted = f"tensorflow.{old}"
        if dotted not in by_name and (row := tensorflow.lookup(dotted)):
            by_name[dotted] = row
    yield from (by_name[old] for old in sorted(by_name))
