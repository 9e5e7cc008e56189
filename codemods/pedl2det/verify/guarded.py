"""Run a module on a copy with linked files: writing to such a file first copies it.

Started as ``python -P -m pedl2det.verify.guarded COPIES pedl2det run ...``. It covers what Python
and h5py open for writing. ``verify`` reports a linked file that was changed in another way.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND
_CHANGING = {"os.truncate", "os.chmod", "os.chown", "os.utime"}


def guard(copies: Path) -> None:
    """Replace each link in a directory by what it leads to, before that is written to."""

    def detach(name: Any) -> None:
        if isinstance(name, str | bytes | os.PathLike):
            path = Path(os.path.normpath(Path.cwd() / os.fsdecode(name)))
            if path.is_relative_to(copies) and path.is_symlink():
                original = path.resolve()
                if original.is_file() and not original.is_relative_to(copies):
                    path.unlink()
                    shutil.copy2(original, path)

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CHANGING or (event == "open" and arguments[2] & _WRITING):
            detach(arguments[0])

    sys.addaudithook(watch)
    with contextlib.suppress(ImportError):  # its C library opens files unseen
        import h5py

        opened = h5py.File.__init__

        def init(self: Any, name: Any, mode: str = "r", *args: Any, **kwargs: Any) -> None:
            if mode != "r":
                detach(name)
            opened(self, name, mode, *args, **kwargs)

        h5py.File.__init__ = init


if __name__ == "__main__":
    guard(Path(sys.argv.pop(1)).resolve())
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
