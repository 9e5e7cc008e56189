"""The names that exist in ``tf.compat.v1`` but not in ``tf``.

``scripts/tensorflow_names.py`` generates the list (``compat_v1.txt``).
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()

#: The current name of the same object for each name, both below ``tensorflow``; the name below
#: ``compat.v1`` if there is no other.
COMPAT_V1 = {
    old: new or f"compat.v1.{old}" for old, _, new in (line.partition(" ") for line in _LINES)
}
