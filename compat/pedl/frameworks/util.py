"""``pedl.frameworks.util``: how the metrics of batches become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def elementwise_mean(metrics: Sequence[Any]) -> Any:
    """The mean of a metric over batches: of a number a number, of an array an array."""
    return np.mean(np.asarray(metrics), axis=0)
