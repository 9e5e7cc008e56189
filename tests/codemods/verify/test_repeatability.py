"""Places that may keep a trial from repeating itself are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.verify.causes import likely_reasons


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
