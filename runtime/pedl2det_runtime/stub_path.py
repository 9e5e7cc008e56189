"""Put the stub modules of ``determined`` on ``sys.path``.

The stubs are ordinary modules. An import hook would depend on details of the import system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STUBS = str(Path(__file__).with_name("stubs"))


def serve_last() -> None:
    """Append the stubs to ``sys.path``: an installed Determined takes precedence."""
    if STUBS not in sys.path:
        sys.path.append(STUBS)


@contextmanager
def served_first() -> Iterator[None]:
    """Put the stubs first on ``sys.path`` inside the ``with`` block, for a run."""
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
    """Put the stubs first on ``sys.path``, before an installed Determined."""
    if STUBS in sys.path:
        sys.path.remove(STUBS)
    sys.path.insert(0, STUBS)
