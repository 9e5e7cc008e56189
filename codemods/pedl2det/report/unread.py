"""Go on when nobody reads stdout any more, as in ``pedl2det ... | head -1``."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def unread_stdout_ignored() -> Iterator[None]:
    """Leave the block where a closed pipe stops it; what is printed later goes nowhere."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # so that Python can flush it when it ends
        os.close(nowhere)
