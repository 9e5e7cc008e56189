"""Waiting for a call that nobody can interrupt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What a call returns or raises, if it does in time.

    A collective of a framework waits for its peers in C++ and for ever. It is called in a thread of
    its own, which is left behind when time is over.

    Raises:
        TimeoutError: it did not end.
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
