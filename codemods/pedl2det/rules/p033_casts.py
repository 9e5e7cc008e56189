"""``tf.to_float(x)`` becomes ``tf.cast(x, tf.float32)``, as TensorFlow 2 has it.

``tf.to_double``, ``tf.to_int32`` and ``tf.to_int64`` too. Where one of them is handed on, or its
arguments are not all visible, P010 gives it the name that it has in ``tf.compat.v1``.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, Replace
from pedl2det.rules.cases import Case, pedl_trial

ID = "P033"
NAME = "casts"

#: The old functions, and the type that each casts to.
_TYPES = {
    "tensorflow.to_double": "tensorflow.float64",
    "tensorflow.to_float": "tensorflow.float32",
    "tensorflow.to_int32": "tensorflow.int32",
    "tensorflow.to_int64": "tensorflow.int64",
}


def check(trial: Trial) -> Iterable[Fix]:
    """Rewrite calls whose arguments are all visible."""
    for reference in trial.uses(*_TYPES):
        call, source = reference.call, reference.source
        given = arguments_of(call, ("x", "name")) if call is not None else None
        if call is not None and given is not None and "x" in given:
            cast = spell(source, "tensorflow.cast", call.func)
            dtype = spell(source, _TYPES[reference.dotted], call.func)
            name = ", name={name}" if "name" in given else ""
            edit = Replace(call, f"{cast.code}({{x}}, {dtype.code}{name})", given)
            yield Fix(ID, source, call, (edit,), imports=(*cast.imports, *dtype.imports))


_CODE = """\
import tensorflow as tf


def share(y, z):
    z = tf.to_int64(x=z, name="z")
    hits = tf.to_float(tf.equal(tf.to_int64(y), z))
    return getattr(tf, "to_double")(hits, "hits")
"""
_CODE_AFTER = """\
import tensorflow as tf


def share(y, z):
    z = tf.cast(z, tf.int64, name="z")
    hits = tf.cast(tf.equal(tf.cast(y, tf.int64), z), tf.float32)
    return tf.cast(hits, tf.float64, name="hits")
"""
_BARE = """\
from tensorflow import float32, to_float, to_int32


def whole(x):
    return to_float(to_int32(x)), float32
"""
_BARE_AFTER = """\
from tensorflow import cast, float32, int32


def whole(x):
    return cast(cast(x, int32), float32), float32
"""
_HANDED_ON = """\
import tensorflow as tf


def floats(rows, *given):
    return map(tf.{v1}to_float, rows), tf.{v1}to_float(*given)
"""
CASES = (
    Case(pedl_trial(_CODE), {"net.py": _CODE_AFTER}),
    Case(pedl_trial(_BARE), {"net.py": _BARE_AFTER}),
    Case(
        pedl_trial(_HANDED_ON.replace("{v1}", "")),
        {"net.py": _HANDED_ON.replace("{v1}", "compat.v1.")},
    ),
)
