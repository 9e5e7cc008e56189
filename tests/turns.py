"""Tests that take turns: each of them costs much, so a run of all tests has a share of them.

``@pytest.mark.turns(4)`` stands on several tests of a file, or on one with parameters: with
``--turn N`` every fourth of them runs, others with another N. Without it all run.
"""

from __future__ import annotations

from collections import defaultdict

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Whose turn it is."""
    parser.addoption("--turn", metavar="N", type=int, help="of tests that take turns, run these")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out those whose turn it is not; of a file's, and of a test's cases, one stays."""
    turn = config.getoption("--turn")
    groups: dict[tuple[str, str, int], list[pytest.Item]] = defaultdict(list)
    for item in items if turn is not None else ():
        if (marker := item.get_closest_marker("turns")) is not None:
            name = item.name.partition("[")[0] if "[" in item.name else ""
            groups[str(item.path), name, marker.args[0]].append(item)
    waiting = {
        item
        for (_, _, share), group in groups.items()
        for place, item in enumerate(group)
        if place % min(share, len(group)) != turn % min(share, len(group))
    }
    config.hook.pytest_deselected(items=waiting)
    items[:] = [item for item in items if item not in waiting]
