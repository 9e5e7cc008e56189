"""Fixtures of the tests of processes that talk to each other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module", autouse=True)
def sockets() -> Iterator[Path]:
    """Where the sockets are: a name that is short enough for them."""
    with tempfile.TemporaryDirectory(prefix="p2d") as path, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", path)
        patch.delenv("PEDL2DET_CLUSTER_KEY", raising=False)
        patch.delenv("DET_CHIEF_IP", raising=False)
        yield Path(path)
