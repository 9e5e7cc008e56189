"""Run a module on a copy with linked files: writing to such a file first copies it.

Started as ``python -P -m pedl2det.verify.guarded COPY pedl2det run ...``. It covers what Python and
h5py open for writing. ``verify`` reports a linked file that was changed in another way.
"""

from __future__ import annotations

import os
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND
_CHANGING = {"os.truncate", "os.chmod", "os.chown", "os.utime"}


def copy_before_writing(path: Path, copy: Path) -> None:
    """Replace a symbolic link in a copy by the file outside of it that the link leads to."""
    original = path.resolve()
    if path.is_symlink() and original.is_file() and not original.is_relative_to(copy):
        path.unlink()
        shutil.copy2(original, path)


def _guard(copy: Path) -> None:
    def heed(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if flags & _WRITING:
                detach(path)
        elif event in _CHANGING:
            detach(arguments[0])

    def detach(path: Any) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            place = Path(os.path.normpath(Path.cwd() / os.fsdecode(path)))
            if place.is_relative_to(copy):
                copy_before_writing(place, copy)

    sys.addaudithook(heed)
    _guard_h5py(detach)


def _guard_h5py(detach: Any) -> None:
    try:
        import h5py
    except ImportError:
        return
    opened = h5py.File.__init__

    def init(self: Any, name: Any, mode: str = "r", *args: Any, **kwargs: Any) -> None:
        if mode != "r":
            detach(name)
        opened(self, name, mode, *args, **kwargs)

    h5py.File.__init__ = init


if __name__ == "__main__":
    _guard(Path(sys.argv.pop(1)).resolve())
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
