"""Names that migrate wrote are looked up in the installed libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from pedl2det.engine.migration import NewFile
from pedl2det.verify.unrun import missing_names

pytest.importorskip("tensorflow")
OLD = b"import tensorflow as tf\n\ntf.log_it\n"


def missing(new: bytes) -> list[str]:
    return missing_names([NewFile(Path("home/data.py"), OLD, OLD + new)])


def test_a_name_that_is_not_there_is_told_with_its_place() -> None:
    new = b"def f(x):\n    return tf.math.lagrange(x) + tf.math.sin(x)\n"

    assert missing(new) == ["data.py:5: tensorflow.math.lagrange"]


@pytest.mark.parametrize(
    "new",
    [
        b"tf.log_it + 1\n",  # the old file has it, too
        b"import numpy as np\nnp.linalg.norm(1)\n",
        b"from tensorflow.keras.optimizers.legacy import SGD\nSGD\n",
        b"import tensorflow.keras.layers\ntensorflow.keras.layers.Dense\n",
        b"x = 'tf.math.lagrange'\n",
    ],
)
def test_names_that_are_there_are_not_told(new: bytes) -> None:
    assert missing(new) == []
