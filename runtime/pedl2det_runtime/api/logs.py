"""The log of Determined: its format and level, and ``$DET_DEBUG``."""

from __future__ import annotations

import logging
import os

LOG_FORMAT = "%(levelname)s: [%(process)s] %(name)s: %(message)s"
_log = logging.getLogger("determined")


def set_logger(debug_enabled: bool) -> None:
    """Log messages of Determined, of level DEBUG or INFO."""
    logging.basicConfig(level=logging.INFO, format=LOG_FORMAT)
    _log.setLevel(logging.DEBUG if debug_enabled else logging.INFO)


def debug_mode() -> bool:
    """Return whether ``$DET_DEBUG`` is set."""
    return strtobool(os.environ.get("DET_DEBUG", "false"))


def strtobool(val: str) -> bool:
    """Return False for ``n``, ``no``, ``f``, ``false``, ``off`` and ``0``; True otherwise."""
    return val.lower() not in ("n", "no", "f", "false", "off", "0")
