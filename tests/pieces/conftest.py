"""All support pieces, imported as the ``legacy_keras`` of a trial."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from pedl2det.support.library import available, render


@pytest.fixture
def pieces(tmp_path: Path) -> Any:
    """The module, imported anew: nothing is bound to it."""
    path = tmp_path / "legacy_keras.py"
    path.write_text(render(available()))
    spec = importlib.util.spec_from_file_location("legacy_keras", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
