"""All support pieces, imported as the ``legacy_keras`` of a trial."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from pedl2det.support import available, render


@pytest.fixture(scope="module", autouse=True)
def _todays_keras() -> Iterator[None]:
    """Takes back what pieces change in Keras for their whole process, other tests' too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tf.keras.Model, "__init_subclass__", tf.keras.Model.__init_subclass__)
        waiting = [tf.keras.layers.Layer]
        while waiting:
            owner = waiting.pop()
            waiting += owner.__subclasses__()
            for name in {"call", "compile"} & vars(owner).keys():
                patch.setattr(owner, name, vars(owner)[name])
        yield


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
