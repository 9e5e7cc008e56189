"""Numbers for people (``determined.util``, ``determined.common.util``)."""

from __future__ import annotations

import math


def humanize_float(n: float) -> float:
    """Round a number to four significant digits, and to no fewer than its integer part has."""
    if n == 0 or not math.isfinite(n):
        return n
    return round(n, max(0, 3 - math.floor(math.log10(abs(n)))))


def sizeof_fmt(val: float) -> str:
    """Return a number of bytes for people, such as ``2.0KB``."""
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if abs(val) < 1024:
            return f"{val:3.1f}{unit}"
        val /= 1024
    return f"{val:.1f}PB"
