"""``pedl.frameworks.util``: reducers of metrics over batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pedl2det_runtime import refusals


def elementwise_mean(metrics: Sequence[Any]) -> Any:
    """Return the mean of a metric over batches.

    Args:
        metrics: one number or array per batch, all of the same shape.

    Returns:
        The mean, of the shape of one element.
    """
    return np.mean(np.asarray(metrics), axis=0)


refusals.complete(__name__)
