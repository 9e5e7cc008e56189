"""A progress bar on a terminal, for what takes long."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

import click

_LONG = 0.5  # seconds

Item = TypeVar("Item")


def with_bar(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Hand items on; where it takes long and stderr is a terminal, show how many there are.

    Args:
        items: the items.
        total: how many there will be.
    """
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
