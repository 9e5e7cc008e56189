"""Standard output and error: colours, a progress bar, and pipes that nobody reads."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import IO, Any, TypeVar

import click

_LONG = 0.5  # seconds

Item = TypeVar("Item")


def is_coloured(stream: IO[Any]) -> bool:
    """Tell whether colours may be written to a stream (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def with_bar(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Hand items on; where it takes long and stderr is a terminal, show how many there are."""
    if not sys.stderr.isatty():
        yield from items
        return
    begun, bar = time.monotonic(), None
    with contextlib.ExitStack() as stack:
        for number, item in enumerate(items, 1):
            yield item
            if bar is not None:
                bar.update(1)
            elif number < total and time.monotonic() - begun > _LONG:
                shown = click.progressbar(
                    length=total, label="planning", file=sys.stderr, show_pos=True
                )
                bar = stack.enter_context(shown)
                bar.update(number)


@contextlib.contextmanager
def unread_stdout_ignored() -> Iterator[None]:
    """Leave the block where a closed pipe stops it; what is printed later goes nowhere."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # so that Python can flush it when it ends
        os.close(nowhere)
