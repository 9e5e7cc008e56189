"""The oracle: Determined 0.38.1 itself trains the migrated iris as our runtime does.

Needs an environment of its own (``nox -s oracle``): determined==0.38.1 and TensorFlow 2.15. The
trial is run by the real ``TFKerasTrialController``, locally, without a cluster.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, pedl2det

pytestmark = pytest.mark.oracle

TRIAL = EXAMPLES / "iris_migrated"
BATCHES, UNIT, SEED = 200, 10, 17


@pytest.fixture(scope="module")
def determined() -> tuple[list[dict[str, float]], dict[str, float]]:
    """What Determined reports: the metrics of every batch, and those of the validation."""
    script = Path(__file__).with_name("drive_determined.py")
    done = subprocess.run(
        [sys.executable, *map(str, (script, TRIAL, BATCHES, UNIT, SEED))],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"kind"')]
    batches = [batch for report in reports[:-1] for batch in report["per_batch"]]
    return batches, reports[-1]["metrics"]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], dict[str, float]]:
    out = tmp_path_factory.mktemp("oracle") / "out"
    done = pedl2det(
        "run", TRIAL, "--out", out, "--trace", "--max-batches", BATCHES,
        "--set", f"scheduling_unit={UNIT}", "--set", f"reproducibility.experiment_seed={SEED}",
        "--set", f"min_validation_period.batches={BATCHES}",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (out / "batches.jsonl").read_text().splitlines()
    last = json.loads((out / "metrics.jsonl").read_text().splitlines()[-1])
    return [json.loads(line)["metrics"] for line in lines], last["metrics"]


def test_every_batch_has_the_same_metrics_to_the_last_bit(determined: Any, ours: Any) -> None:
    theirs, _ = determined
    mine, _ = ours

    assert len(theirs) == len(mine) == BATCHES
    for number, (one, other) in enumerate(zip(theirs, mine, strict=True), start=1):
        assert {name: one[name] for name in other} == other, f"batch {number}"
        assert "loss" in other
        assert "categorical_accuracy" in other


def test_the_validation_has_the_same_metrics_to_the_last_bit(determined: Any, ours: Any) -> None:
    _, theirs = determined
    _, mine = ours

    assert set(mine) == {"val_loss", "val_categorical_accuracy"}
    assert {name: theirs[name] for name in mine} == mine
