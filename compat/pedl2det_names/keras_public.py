"""The public names of ``tf.keras`` in all supported TensorFlow versions, by module.

``scripts/tensorflow_names.py`` generates the list (``keras_public.txt``).
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()

#: Names that exist but always raise an error.
_DEAD = {"models": {"model_from_yaml"}}

PUBLIC = {
    module: frozenset(names) - _DEAD.get(module, set())
    for module, *names in (
        [line.split()[0].removeprefix("."), *line.split()[1:]] for line in _LINES
    )
}
