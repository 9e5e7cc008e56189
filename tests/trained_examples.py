"""Examples trained as they are: once for all tests that compare with it, until a file changes."""

from __future__ import annotations

import hashlib
import importlib.metadata
import shutil
from pathlib import Path

from filelock import FileLock

from support import EXAMPLES, ROOT, pedl2det

#: What a training depends on, beside the example.
SOURCES = ("compat", "runtime", "codemods/pedl2det/commands")


def trained_example(name: str, *arguments: str) -> Path:
    """Return the results directory of a whole run of an example. No test may write there.

    Args:
        name: of the example.
        arguments: of ``pedl2det run``, beside the directories.
    """
    place = ROOT / "build" / "trained" / f"{name}-{_digest(name, arguments)}"
    place.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(place.with_suffix(".lock")):
        if not place.exists():
            unfinished = place.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            done = pedl2det("run", EXAMPLES / name, "--out", unfinished, *arguments)
            assert done.returncode == 0, done.stderr
            unfinished.rename(place)
    return place


def _digest(name: str, arguments: tuple[str, ...]) -> str:
    """Of all that a run of an example depends on: code, data, arguments, versions."""
    installed = sorted(f"{one.name} {one.version}" for one in importlib.metadata.distributions())
    digest = hashlib.sha256(repr((arguments, installed)).encode())
    for directory in (EXAMPLES / name, *(ROOT / source for source in SOURCES)):
        for path in sorted(directory.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(ROOT)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
