"""Describe why a trial does not train: the reason, with the user's file and line."""

from __future__ import annotations

import re
from pathlib import Path

from pedl2det.verify.copies import Copy

_PLACE = re.compile(r"(?P<path>/[^:\n]*\.py):(?P<line>\d+)")


def described(message: str, copy: Copy, is_migrated: bool) -> str:
    """Return an error of a copied trial with the paths of the original.

    Lines of a migrated file are not those of the original, so the line of code is added.

    Args:
        message: the error, with file and line of the copy.
        copy: the trial.
        is_migrated: whether the copy is migrated.
    """
    found = _PLACE.search(message)
    shown = copy.with_original_paths(message)
    if not is_migrated or found is None:
        return shown
    path, number = Path(found["path"]), int(found["line"])
    if not path.is_relative_to(copy.root):
        return shown
    lines = path.read_text("utf-8", "replace").splitlines()
    code = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    place = f"{copy.original(path)}:{number}"
    return shown.replace(place, f"{place} after migration (`{code}`)", 1)
