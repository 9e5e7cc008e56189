"""Import modules from a directory (``determined.import_from_path``)."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def import_from_path(path: str | os.PathLike[str]) -> Iterator[None]:
    """Import modules from a directory inside the ``with`` block, beside modules of the same names.

    Afterwards the modules are usable by the names that they were imported as, and ``sys.modules``
    and ``sys.path`` are those of before.

    Args:
        path: the directory.
    """
    directory = Path(path).resolve()
    names = {file.stem for file in directory.glob("*.py")}
    names |= {file.parent.name for file in directory.glob("*/__init__.py")}
    hidden = {
        name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in names
    }
    known = set(sys.modules)
    sys.path.insert(0, str(directory))
    try:
        yield
    finally:
        sys.path.remove(str(directory))
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and directory in Path(file).parents:
                del sys.modules[name]
        sys.modules.update(hidden)
