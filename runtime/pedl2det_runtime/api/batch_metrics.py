"""The metrics of batches, and batch sizes (``determined.util``)."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from pedl2det_runtime.api import check
from pedl2det_runtime.errors import InvalidExperimentException


def calculate_batch_sizes(
    hparams: dict[str, Any], slots_per_trial: int, trialname: str
) -> tuple[int, int]:
    """Return the batch size of one slot, and that of all slots.

    Args:
        hparams: hyperparameters with ``global_batch_size``.
        slots_per_trial: the number of slots.
        trialname: the name of the trial, for messages.

    Raises:
        InvalidExperimentException: ``global_batch_size`` is missing, or less than the slots.
    """
    slots, size = max(slots_per_trial, 1), hparams.get("global_batch_size")
    if not isinstance(size, int) or size < slots:
        raise InvalidExperimentException(
            f"{trialname}: hyperparameters.global_batch_size: expected a whole number, {slots} or "
            f"more, got {size!r}"
        )
    return size // slots, size // slots * slots


def make_metrics(num_inputs: int | None, batch_metrics: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the metrics of batches and their means.

    Args:
        num_inputs: the number of records; None if it is not known.
        batch_metrics: the metrics of each batch.
    """
    validate_batch_metrics(batch_metrics)
    names = batch_metrics[0] if batch_metrics else {}
    means = {name: float(np.mean([batch[name] for batch in batch_metrics])) for name in names}
    metrics: dict[str, Any] = {"batch_metrics": batch_metrics, "avg_metrics": means}
    return metrics if num_inputs is None else {**metrics, "num_inputs": num_inputs}


def validate_batch_metrics(batch_metrics: list[dict[str, Any]]) -> None:
    """Check that all batches have the same metrics, among them ``loss``.

    Raises:
        CheckFailedError: they differ.
    """
    for index, metrics in enumerate(batch_metrics):
        reason = f"inconsistent training metrics: index: {index}"
        check.eq(metrics.keys(), batch_metrics[0].keys(), reason)
        check.is_in("loss", metrics)


def is_numerical_scalar(n: Any) -> bool:
    """Return whether a value is a single number."""
    return isinstance(n, numbers.Number) or (isinstance(n, np.ndarray) and n.ndim == 0)
