"""Synchronise the ranks of a trial: common decisions, averages, equal weights."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.distributed import DistributedContext
from pedl2det_runtime.errors import MetricError, RanksDifferError


class RankSync:
    """The ranks that train a trial; each must call the same methods in the same order.

    Args:
        distributed: the context of this rank.
        averages_training: average training metrics; if False, report those of the chief.

    Attributes:
        is_chief: whether this rank reports and writes.
        size: the number of ranks.
    """

    def __init__(self, distributed: DistributedContext, *, averages_training: bool = True) -> None:
        self._distributed = distributed
        self._averages_training = averages_training
        self.is_chief = distributed.rank == 0
        self.size = distributed.size

    def share_weights(self, model: Any) -> None:
        """Copy the chief's weights to every rank, before the first batch."""
        if self.size > 1:
            weights = _values(model.weights) if self.is_chief else None
            _assign(model.weights, self._distributed.broadcast(weights))

    def unite(self, model: Any) -> None:
        """Average the non-trainable weights over the ranks.

        The moving averages of ``BatchNormalization`` depend on the data of a rank. Validations and
        checkpoints use their mean. Integers, such as counters, are copied from the chief.

        Raises:
            RanksDifferError: trainable weights differ, for example because a callback acts on one
                rank only.
        """
        if self.size == 1:
            return
        own = model.non_trainable_weights
        digests = [
            hashlib.blake2b(value.tobytes(), digest_size=16).digest()
            for value in _values(model.trainable_weights)
        ]
        gathered = self._distributed.allgather((_values(own), digests))
        values_of_ranks, digests_of_ranks = zip(*gathered, strict=True)
        _assign(own, [_mean(values) for values in zip(*values_of_ranks, strict=True)])
        names = [weight.name for weight in model.trainable_weights]
        for rank, theirs in enumerate(digests_of_ranks):
            for name, chiefs, other in zip(names, digests_of_ranks[0], theirs, strict=True):
                if other != chiefs:
                    raise RanksDifferError(
                        f"{name}: the weights of rank {rank} are not those of rank 0: something "
                        "changes the training of one rank only. A callback that sets the learning "
                        "rate must use a value that is equal on all ranks, such as a validation "
                        "metric"
                    )

    def mean(self, metrics: dict[str, float], *, training: bool = False) -> dict[str, float]:
        """Average the metrics of all ranks, with equal weights.

        Raises:
            MetricError: the ranks have different metrics.
        """
        if self.size == 1:
            return metrics
        parts: list[dict[str, float]] = self._distributed.allgather(metrics)
        if training and not self._averages_training:
            return parts[0]
        for rank, part in enumerate(parts):
            if part.keys() != parts[0].keys():
                raise MetricError(
                    f"rank {rank} reports {_named(part)}, rank 0 reports {_named(parts[0])}: "
                    "metrics are averaged over the ranks, so each must report the same"
                )
        means: dict[str, Any] = {
            name: np.mean([np.asarray(part[name]) for part in parts], axis=0, dtype=np.float64)
            for name in parts[0]
        }
        return {name: mean if mean.ndim else float(mean) for name, mean in means.items()}

    def any(self, value: bool) -> bool:
        """Return whether ``value`` is true on any rank."""
        return any(self._distributed.allgather(value))

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.any(False)

    def largest(self, number: int) -> int:
        """Return the largest of every rank's numbers."""
        numbers: list[int] = self._distributed.allgather(number)
        return max(numbers)

    def gather(self, state: Any) -> list[Any] | None:
        """Return the objects of all ranks, in order, on the chief; None elsewhere."""
        return self._distributed.gather(state)


def _values(variables: list[Any]) -> list[Any]:
    return [np.asarray(graph_mode.value(variable)) for variable in variables]


def _assign(variables: list[Any], values: list[Any]) -> None:
    for variable, value in zip(variables, values, strict=True):
        graph_mode.assign(variable, value)


def _mean(values: tuple[Any, ...]) -> Any:
    """Average arrays; return the first if they are not floating point."""
    if not np.issubdtype(values[0].dtype, np.floating):
        return values[0]
    return np.mean(np.stack(values), axis=0, dtype=np.float64).astype(values[0].dtype)


def _named(metrics: dict[str, float]) -> str:
    return ", ".join(sorted(metrics)) or "nothing"
