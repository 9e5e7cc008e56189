"""Whether output is coloured: on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise."""

from __future__ import annotations

import os
from typing import IO, Any


def is_coloured(stream: IO[Any]) -> bool:
    """Tell whether colours may be written to a stream (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
