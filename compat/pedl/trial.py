"""``pedl.trial``: type aliases of metrics, and the trial's seed."""

from collections.abc import Callable
from typing import Any

from pedl import get_trial_seed
from pedl2det_runtime import refusals

__all__ = ["MetricOp", "ValidOp", "get_trial_seed"]

#: A metric: a function of targets and predictions.
MetricOp = Callable[[Any, Any], Any]

#: A validation metric: a function of targets and predictions, or a pair of it and its reducer.
ValidOp = MetricOp | tuple[MetricOp, Callable[..., Any]]

refusals.complete(__name__)
