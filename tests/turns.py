"""Tests that take turns: each of them costs much, so a run of all tests has a share of them.

``@pytest.mark.turns(4)`` stands on several tests of a file, or on one with parameters: with
``--turn N`` every fourth of them runs, others with another N. ``turns(4, "kills")`` stands on tests
of several files, of which all together every fourth runs, which may be none. Without it all run.

``--every 3`` is for tests that run elsewhere too, those marked ``versions``: a third of them runs,
and with two other turns elsewhere the rest.
"""

from __future__ import annotations

import zlib
from collections import defaultdict

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Whose turn it is."""
    parser.addoption("--turn", metavar="N", type=int, help="of tests that take turns, run these")
    parser.addoption(
        "--every", metavar="K", type=int, default=1, help="of `versions`, run one in K"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out those whose turn it is not; of a file's, and of a test's cases, one stays."""
    turn, every = config.getoption("--turn"), config.getoption("--every")
    if turn is None:
        return
    waiting = set()
    groups: dict[tuple[str, str | None, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("versions") and zlib.crc32(_name(item)) % every != turn % every:
            waiting.add(item)
        if (marker := item.get_closest_marker("turns")) is not None:
            share, *named = marker.args
            name = item.name.partition("[")[0] if "[" in item.name else ""
            groups[*((named[0], None) if named else (str(item.path), name)), share].append(item)
    for (_, name, wanted), group in groups.items():
        share = wanted if name is None else min(wanted, len(group))
        for place, item in enumerate(group):
            # One of `versions` has a turn when it has had all versions, or it would have few.
            own = turn // every if item.get_closest_marker("versions") else turn
            if place % share != own % share:
                waiting.add(item)
    config.hook.pytest_deselected(items=waiting)
    items[:] = [item for item in items if item not in waiting]


def _name(item: pytest.Item) -> bytes:
    """What an item is called wherever pytest is started."""
    return f"{item.path.name}::{item.name}".encode()
