"""What each test costs: seconds and CPU seconds, those of its processes included.

With ``--costs FILE`` they are written there, the dearest first; noxfile.py names these.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

import zygote

_BEGAN = pytest.StashKey[tuple[float, float]]()
_costs: dict[str, tuple[float, float]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the costs go."""
    parser.addoption("--costs", metavar="FILE", help="write what each test costs here")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Read the clocks before the fixtures of a test."""
    item.stash[_BEGAN] = _clocks()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> None:
    """Read them again after each phase; the report takes the cost to the process that collects."""
    (began, cpu), (now, cpu_now) = item.stash[_BEGAN], _clocks()
    item.user_properties[:] = [("cost", (round(now - began, 2), round(cpu_now - cpu, 2)))]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep the last reading of each test."""
    _costs[report.nodeid] = dict(report.user_properties)["cost"]  # type: ignore[assignment]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the costs, the dearest test first."""
    target = session.config.getoption("--costs")
    if target and not hasattr(session.config, "workerinput"):
        path = Path(target)
        path.parent.mkdir(parents=True, exist_ok=True)
        dearest = sorted(_costs.items(), key=lambda cost: -cost[1][1])
        path.write_text(json.dumps(dict(dearest), indent=0), encoding="utf-8")


def _clocks() -> tuple[float, float]:
    """Wall-clock seconds, and CPU seconds of this process, of its children and of the forked."""
    return time.monotonic(), sum(os.times()[:4]) + zygote.cpu_of_forked
