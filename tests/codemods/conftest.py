"""No test here trains: `migrate` proves by default only where TensorFlow is installed."""

from __future__ import annotations

import pytest

from pedl2det.commands import migrate


@pytest.fixture(autouse=True)
def _no_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "_can_train", lambda: False)
