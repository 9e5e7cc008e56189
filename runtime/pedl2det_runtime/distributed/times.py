"""How long processes wait for each other."""

from __future__ import annotations

import os

from pedl2det_runtime.errors import CheckFailedError

#: Seconds in which all processes that wait for a dead one get an error, at most.
DEAD_AFTER = 30

#: Seconds between two signs of life, and of silence until a connection counts as lost; together,
#: and with what it takes to tell the others, less than DEAD_AFTER.
HEARTBEAT = 2
SILENCE = 15

#: Seconds that a collective, and the start, wait for the last process, and what changes them.
PATIENCE = 600.0
PATIENCE_VARIABLE = "PEDL2DET_PATIENCE"

#: Seconds that the last messages may take after ``close``, and after a process was lost.
LINGER = 30
LAST_WORDS = 3


def patience() -> float:
    """How long to wait for a process that is late.

    Raises:
        CheckFailedError: the environment does not say a number of seconds.
    """
    text = os.environ.get(PATIENCE_VARIABLE)
    if text is None:
        return PATIENCE
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise CheckFailedError(f"${PATIENCE_VARIABLE}: expected seconds, more than 0, got {text!r}")
    return seconds
