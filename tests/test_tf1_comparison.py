"""The comparison with TensorFlow 1.14 (nox -s tf1) finds what differs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tf1.comparison import compared
from tf1.known import reason_of

WEIGHTS = np.array([3.0, 4.0])
INITIAL = np.random.default_rng(0).uniform(-1, 1, 300)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The records of one batch, which are equal."""
    names = {"layers": ["dense"], "weights": ["dense/kernel:0"]}
    batch = {"rate": 0.1, "metrics": {"loss": 2.0, "acc": 0.5}}
    write(tmp_path, "there", batches=[batch], names=names, validation={"loss": 1.0})
    write(tmp_path, "here", rates=[0.1], data=[0.0], names=names, logs=["acc", "accuracy", "loss"])
    np.savez(tmp_path / "there.npz", before_000=INITIAL, after_000=WEIGHTS)
    np.savez(tmp_path / "here.npz", before_000=INITIAL, after_000=WEIGHTS)
    out = tmp_path / "out"
    out.mkdir()
    traced = {"batch": 1, "metrics": {"loss": 2.0, "accuracy": 0.5}}
    (out / "batches.jsonl").write_text(json.dumps(traced))
    validated = {"kind": "validation", "metrics": {"val_loss": 1.0}}
    (out / "metrics.jsonl").write_text(json.dumps(validated))
    return tmp_path


def write(directory: Path, side: str, **changes: Any) -> None:
    path = directory / f"{side}.json"
    held = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(held | changes))


def test_equal_records(directory: Path) -> None:
    comparison = compared(directory)

    assert comparison.batches == 1
    assert comparison.names == ()
    assert set(comparison.largest.values()) == {0.0}


def test_each_number_counts(directory: Path) -> None:
    metrics = {"loss": 2.002, "accuracy": 0.75}
    (directory / "out" / "batches.jsonl").write_text(json.dumps({"metrics": metrics}))
    write(directory, "here", rates=[0.2], data=[0.25])
    np.savez(directory / "here.npz", before_000=INITIAL, after_000=np.array([3.0, 4.5]))

    comparison = compared(directory)

    assert comparison.large == {"loss", "rate", "data", "metrics", "weights"}
    assert not comparison.begins_equal
    assert comparison.largest["loss"] == pytest.approx(0.001)
    assert comparison.largest["weights"] == pytest.approx(0.1)


def test_a_nan_is_large(directory: Path) -> None:
    write(directory, "here", data=[0.0, float("nan")])
    assert compared(directory).large == {"data"}


def test_initial_values_of_another_distribution(directory: Path) -> None:
    generator = np.random.default_rng(1)
    for initial, count in (
        (generator.uniform(-1, 1, 300), 0),
        (generator.normal(0, np.std(INITIAL), 300), 1),
        (generator.uniform(-2, 2, 300), 2),
    ):
        np.savez(directory / "here.npz", before_000=initial, after_000=WEIGHTS)
        assert len(compared(directory).names) == count


def test_names_that_differ(directory: Path) -> None:
    names = {"layers": ["dense_1"], "weights": []}
    write(directory, "here", names=names, logs=["accuracy", "loss"])

    assert compared(directory).names == (
        "layers: dense there, dense_1 here",
        "weights: 1 there, 0 here",
        "no metric acc here",
    )


def test_what_is_known_has_a_reason() -> None:
    cell = "weights: bidirectional/forward_lstm/kernel:0 there, "
    cell += "bidirectional/forward_lstm/lstm_cell/kernel:0 here"
    assert reason_of("any/const", cell) is not None
    assert reason_of("any/const", "layers: lstm_1 there, lstm here") is None
    assert reason_of("iris/const", "data") is None
