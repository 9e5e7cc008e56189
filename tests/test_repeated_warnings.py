"""A run shows each warning once."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from support import write_tree
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


IN_STEPS = {
    "hyperparameters": {"global_batch_size": 4},
    "searcher": {"name": "single", "metric": "val_loss", "max_steps": 4},
    "batches_per_step": 5,  # an epoch: 20 records
}


def with_callbacks(*callbacks: Any) -> type[Trial]:
    class WithCallbacks(Trial):
        def keras_callbacks(self) -> Any:
            return [*callbacks]

    return WithCallbacks


@pytest.fixture
def tensorflow_says() -> Iterator[list[str]]:
    """What TensorFlow logs, Keras' warnings too."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    tf.get_logger().addHandler(handler)
    yield messages
    tf.get_logger().removeHandler(handler)


def test_callbacks_without_their_metric_are_named_once_at_the_start(
    tmp_path: Path, tensorflow_says: list[str]
) -> None:
    keras = tf.keras.callbacks
    trial = with_callbacks(
        keras.EarlyStopping(),
        keras.ReduceLROnPlateau(monitor="val_acc"),
        keras.ModelCheckpoint(str(tmp_path / "best.h5"), save_best_only=True),
        keras.EarlyStopping(monitor="los"),  # mistyped: PEDL would have had it
        keras.EarlyStopping(monitor="loss", min_delta=-1.0),  # it acts
    )

    result = run(trial, tmp_path / "out", IN_STEPS)

    said = result.said
    notices = [index for index, line in enumerate(said) if "validation metric" in line]
    assert [said[index] for index in notices] == [
        "EarlyStopping (monitors val_loss), ReduceLROnPlateau (monitors val_acc), "
        "ModelCheckpoint (monitors val_loss): will never act, as in PEDL and early Determined, "
        "which gave callbacks no validation metric at the end of an epoch"
    ]
    assert not any(line.startswith("  training  ") for line in said[: notices[0]])
    assert result.reports[-1]["batches"] == 10  # the last one stopped it
    assert len(tensorflow_says) == 2  # one for each epoch
    assert all("conditioned on metric `los` " in text for text in tensorflow_says)


class Validates(tf.keras.callbacks.Callback):
    """What people wrote in 2020 to have a metric of validations."""

    def __init__(self, value: float | None) -> None:
        super().__init__()
        self.value = value

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.value is not None:
            logs["val_loss"] = self.value


@pytest.mark.parametrize(("value", "trained", "warnings"), [(1.0, 15, 0), (None, 20, 1)])
def test_a_callback_may_give_the_metric_to_the_next_one(
    value: float | None, trained: int, warnings: int, tmp_path: Path, tensorflow_says: list[str]
) -> None:
    trial = with_callbacks(Validates(value), tf.keras.callbacks.EarlyStopping(patience=2))

    result = run(trial, tmp_path / "out", IN_STEPS)

    assert not any("validation metric" in line for line in result.said)
    assert result.reports[-1]["batches"] == trained
    assert len(tensorflow_says) == warnings


NATIVE = [
    "E external/cuda_fft.cc:477] Unable to register cuFFT factory: Attempting to register\n",
    "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n",
    "E0000 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register\n",
    "E0000 cuda_blas.cc:1418] Unable to register cuBLAS factory: Attempting to register\n",
]
ERROR = "E external/gpu.cc:1] the driver is older than the runtime\n"


@pytest.mark.parametrize(
    ("level", "end", "printed"),
    [
        (None, "", []),
        ("2", "", [ERROR]),
        ("0", "", [*NATIVE, ERROR]),
        (None, "raise ImportError('no such symbol')", [*NATIVE, ERROR]),
    ],
)
def test_the_start_of_tensorflow_prints_no_noise_about_gpus(
    level: str | None, end: str, printed: list[str], tmp_path: Path
) -> None:
    """Which lines a TensorFlow prints depends on its version: this one prints those of 2.18."""
    source = f"import os\nos.write(2, {''.join([*NATIVE, ERROR]).encode()!r})\n{end}\n"
    write_tree(tmp_path, {"tensorflow.py": source})
    known = {name: os.environ[name] for name in os.environ if name != "TF_CPP_MIN_LOG_LEVEL"}
    chosen = {"TF_CPP_MIN_LOG_LEVEL": level} if level else {}
    load = "from pedl2det_runtime.backends import keras_versions as k; k.load_tensorflow()"

    done = subprocess.run(
        [sys.executable, "-c", load],
        env=known | chosen | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    lines = done.stderr.splitlines(keepends=True)
    assert lines[: len(printed)] == printed
    assert (done.returncode != 0) == bool(end)
    assert end or len(lines) == len(printed)
