"""Likely causes of a difference, and places that may keep a trial from repeating itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.findings import Finding, Kind
from pedl2det.verify.compare import Comparison, Difference
from pedl2det.verify.verdict import likely_causes, likely_reasons


def reasons(tmp_path: Path, text: str) -> tuple[str, ...]:
    path = tmp_path / "data.py"
    path.write_text(text)
    return likely_reasons([path], tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import numpy as np\nr = np.random.RandomState()\n", "draws random numbers"),
        ("import numpy as np\nnp.random.seed(None)\n", "draws random numbers"),
        ("from numpy.random import default_rng\nr = default_rng()\n", "draws random numbers"),
        ("import uuid\nx = uuid.uuid4()\n", "draws random numbers"),
        ("import os\nx = os.listdir('.')\n", "in the order of the file system"),
        ("import time\nx = int(time.time())\n", "reads the clock"),
        ("x = 1\ncall(workers=4)\n", "several workers"),
        ("n = 1\ncall(use_multiprocessing=True)\n", "several workers"),
        ("n = 1\ncall(deterministic=False)\n", "in any order"),
    ],
)
def test_a_likely_reason_is_named_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    (found,) = reasons(tmp_path, text)

    assert found.startswith("data.py:2: ")
    assert reason in found


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nr = np.random.RandomState(7)\nx = np.random.rand(3)\n",
        "import os\nx = sorted(os.listdir('.'))\n",
        "call(workers=1, use_multiprocessing=False)\n",
        "import random\nrandom.seed(1)\nrandom.shuffle([])\n",
    ],
)
def test_what_repeats_is_not_named(tmp_path: Path, text: str) -> None:
    assert reasons(tmp_path, text) == ()


def parted(
    batch: int | None, *, epoch: int = 0, is_structural: bool = False, is_rate: bool = False
) -> str:
    difference = Difference("d", batch, is_structural, 0.1, is_rate)
    (cause,) = likely_causes(Comparison(epoch=epoch, differences=(difference,)), ())
    return cause


def test_known_differences_are_the_first_candidates() -> None:
    known = Finding(Kind.DIFFERENT, "P011", Path("model_def.py"), 65, "acts after validations")
    comparison = Comparison(differences=(Difference("d", 7),))

    first, second = likely_causes(comparison, [known])

    assert first == "A known difference: model_def.py:65: acts after validations"
    assert second.startswith("Batches 1 to 6 are equal")


def test_the_likely_cause_is_told_by_where_the_runs_part() -> None:
    assert parted(1).startswith("The first batch differs: other initial weights")
    assert parted(1, is_rate=True).startswith("The learning rate is the first to differ")
    assert parted(2).startswith("Batch 1 is equal, so weights and data begin alike")
    assert parted(7).startswith("Batches 1 to 6 are equal")
    assert parted(13, epoch=4).startswith("All is equal up to the end of epoch 3")
    assert parted(None).startswith("All metrics are equal and weights differ")
    assert parted(1, is_structural=True).startswith("Names, shapes or counts differ")
