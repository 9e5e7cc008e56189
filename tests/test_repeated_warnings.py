"""A run shows each warning once."""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from training import Trial, X, Y, config, run


class Drawing(tf.keras.utils.Sequence):
    """Draws random numbers, and has something to say about each batch."""

    def __len__(self) -> int:
        return 5

    def __getitem__(self, index: int) -> Any:
        warnings.warn("a batch is made", UserWarning, stacklevel=1)
        return X[:4] + np.random.rand(4, 3).astype(np.float32), Y[:4]


class OfThreads(Trial):
    def build_training_data_loader(self) -> Any:
        self.context.configure_fit(workers=3)
        return Drawing()

    def build_validation_data_loader(self) -> Any:
        return Drawing()


def test_each_warning_is_shown_once_in_each_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(warnings, "showwarning", lambda text, *_: shown.append(str(text)))
    warnings.simplefilter("default")  # that of Python, not that of pytest
    given = config(10, min_validation_period={"batches": 2}, min_checkpoint_period={"batches": 2})

    for name in ("one", "two"):
        caplog.clear()
        shown.clear()
        with caplog.at_level(logging.WARNING):
            run(OfThreads, tmp_path / name, given)

        assert sum("draws random numbers" in text for text in caplog.messages) == 1
        assert shown.count("a batch is made") == 1
