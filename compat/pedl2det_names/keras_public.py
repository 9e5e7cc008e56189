"""The public names of ``tf.keras`` that every supported TensorFlow has, by module below ``keras``.

``scripts/tensorflow_names.py`` writes the list (``keras_public.txt``).
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()

#: Names that are there and raise an error when they are called.
_DEAD = {"models": {"model_from_yaml"}}

PUBLIC = {
    module: frozenset(names) - _DEAD.get(module, set())
    for module, *names in (
        [line.split()[0].removeprefix("."), *line.split()[1:]] for line in _LINES
    )
}
