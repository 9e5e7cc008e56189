"""Conformance tests: each names the promise that it holds the runtime to.

With ``--promises DIR`` the outcomes are written down; ``scripts/conformance.py`` makes the table in
``docs/conformance.md`` of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def promise(where: str, text: str) -> pytest.MarkDecorator:
    """Mark a test.

    Args:
        where: the source: ``001:40`` is the *Keras API* guide, line 40; ``4.6`` is a subject of
            docs/semantics.md (docs/conformance.md lists both).
        text: the promise, in our words.
    """
    return pytest.mark.promise(where, text)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the outcomes go."""
    parser.addoption("--promises", metavar="DIR", help="write the outcome of every @promise here")


_outcomes: dict[str, dict[str, Any]] = {}


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Remember whether the test passed; one with several cases passes if all do."""
    marker = item.get_closest_marker("promise")
    if marker is None or (call.when != "call" and call.excinfo is None):
        return
    where, promise = marker.args
    test = f"{item.path.stem}::{item.originalname}"  # type: ignore[attr-defined]
    known = _outcomes.setdefault(test, {"where": where, "promise": promise, "passed": True})
    known["passed"] = known["passed"] and call.excinfo is None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the outcomes: each worker process of pytest-xdist a part of its own."""
    target = session.config.getoption("--promises")
    if target and _outcomes:
        worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
        path = Path(target)
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{worker}.json").write_text(json.dumps(_outcomes, indent=1), encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of tests/conformance names a promise."""
    here = Path(__file__).parent / "conformance"
    nameless = [
        item.nodeid
        for item in items
        if here in item.path.parents and item.get_closest_marker("promise") is None
    ]
    if nameless:
        raise pytest.UsageError(f"no @promise: {', '.join(nameless)}")
