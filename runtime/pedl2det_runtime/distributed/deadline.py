"""How long a process waits for the others, and waiting for a call that cannot be interrupted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TypeVar

from pedl2det_runtime.errors import CheckFailedError

#: The environment variable that overrides the 600 s for which a process waits for a late one.
PATIENCE_VARIABLE = "PEDL2DET_PATIENCE"

Result = TypeVar("Result")


def patience() -> float:
    """Return how many seconds to wait for a late process.

    Raises:
        CheckFailedError: ``$PEDL2DET_PATIENCE`` is not a positive number of seconds.
    """
    text = os.environ.get(PATIENCE_VARIABLE, "600")
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise CheckFailedError(f"${PATIENCE_VARIABLE}: expected seconds, more than 0, got {text!r}")
    return seconds


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return what a call returns, or raise what it raises, if it ends in time.

    A collective of a framework waits for its peers in C++, for ever. So it is called in a thread,
    which is abandoned when the time is over.

    Raises:
        TimeoutError: the call did not end in time.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="pedl2det-collective", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return results[0]
