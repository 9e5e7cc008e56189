"""Where ``import determined`` finds our runtime: a folder of real modules on ``sys.path``.

Real modules and no import hook: a hook has to follow every change of the import system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STUBS = str(Path(__file__).with_name("stubs"))


def serve_last() -> None:
    """Serve ``determined`` unless one is installed."""
    if STUBS not in sys.path:
        sys.path.append(STUBS)


@contextmanager
def served_first() -> Iterator[None]:
    """Serve ``determined`` even where one is installed: a run is trained by this runtime."""
    before = sys.path.index(STUBS) if STUBS in sys.path else None
    serve_first()
    try:
        yield
    finally:
        if STUBS in sys.path:
            sys.path.remove(STUBS)
        if before is not None:
            sys.path.insert(before, STUBS)


def serve_first() -> None:
    """Serve ``determined`` from here on, even where one is installed."""
    if STUBS in sys.path:
        sys.path.remove(STUBS)
    sys.path.insert(0, STUBS)
