"""The names that ``tf.compat.v1`` has and ``tf`` has not.

``scripts/tensorflow_names.py`` writes the list (``compat_v1.txt``).
"""

from __future__ import annotations

from pathlib import Path

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()

#: Each name, below ``tensorflow``, and the current name of the same object; that name below
#: ``tf.compat.v1`` where there is no other.
COMPAT_V1 = {
    old: new or f"compat.v1.{old}" for old, _, new in (line.partition(" ") for line in _LINES)
}
