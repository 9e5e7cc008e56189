"""``tf.to_float(x)`` becomes ``tf.cast(x, tf.float32)``, as TensorFlow 2 has it.

``tf.to_double``, ``tf.to_int32`` and ``tf.to_int64`` too. Where one of them is handed on, or its
arguments are not all visible, P010 gives it the name that it has in ``tf.compat.v1``.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.source import spell
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import Fix, rewrite

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
            yield rewrite(
                call,
                f"{cast.code}({{x}}, {dtype.code}{name})",
                given,
                imports=(*cast.imports, *dtype.imports),
            )


EXAMPLE = """\
--- net.py
  import tensorflow as tf


  def share(y, z):
-     hits = tf.to_float(tf.equal(y, z))
-     return tf.to_double(hits, "hits")
+     hits = tf.cast(tf.equal(y, z), tf.float32)
+     return tf.cast(hits, tf.float64, name="hits")
"""
