"""Average the gradients of all ranks before an optimizer clips and applies them.

Gradients are averaged in one Horovod group, so that the order of summation is fixed and runs are
bit-for-bit reproducible. Horovod's ``DistributedOptimizer`` does not support optimizers of Keras
2.11 and later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.config.experiment_config import Optimizations
from pedl2det_runtime.errors import InvalidExperimentException

Reduce = Callable[[list[Any]], list[Any]]


def average_gradients(optimizers: Sequence[Any], settings: Optimizations) -> list[Accumulator]:
    """Make each optimizer apply gradients averaged over all ranks.

    Args:
        optimizers: the model's optimizers. Pass the ``LossScaleOptimizer``, not its inner
            optimizer, so that all ranks skip the same steps.
        settings: how to aggregate the gradients of several batches.

    Returns:
        The gradient accumulators; none if gradients are applied after every batch.

    Raises:
        InvalidExperimentException: ``aggregation_frequency`` is above 1 in graph mode.
    """
    every = settings.aggregation_frequency
    if every > 1 and graph_mode.is_chosen():
        raise InvalidExperimentException(
            "optimizations.aggregation_frequency: gradients of several batches are aggregated in "
            "eager mode only: remove the key, or do not disable eager execution"
        )
    reduce = _reducer(compressed=settings.gradient_compression)
    accumulators = []
    # The methods are replaced on the object, which keeps its class and config.
    for optimizer in optimizers:
        if every > 1:
            scale = every if settings.average_aggregated_gradients else 1
            accumulators.append(Accumulator(optimizer, reduce, every, scale))
            optimizer.apply_gradients = accumulators[-1].apply_gradients
        else:
            optimizer.apply_gradients = _reducing(optimizer.apply_gradients, reduce)
    return accumulators


def _reducer(*, compressed: bool) -> Reduce:
    import horovod.tensorflow as hvd

    compression = hvd.Compression.fp16 if compressed else hvd.Compression.none

    def reduce(gradients: list[Any]) -> list[Any]:
        averaged = hvd.grouped_allreduce(
            [gradient for gradient in gradients if gradient is not None],
            op=hvd.Average,
            compression=compression,
        )
        remaining = iter(averaged)
        return [None if gradient is None else next(remaining) for gradient in gradients]

    return reduce


def _reducing(apply: Callable[..., Any], reduce: Reduce) -> Callable[..., Any]:
    def apply_gradients(grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
        gradients, variables = _unzipped(grads_and_vars)
        return apply(list(zip(reduce(gradients), variables, strict=True)), *args, **kwargs)

    return apply_gradients


def _unzipped(pairs: Any) -> tuple[list[Any], list[Any]]:
    pairs = list(pairs)
    return [gradient for gradient, _ in pairs], [variable for _, variable in pairs]


@dataclass
class _Sums:
    """Gradient sums of a set of variables."""

    counter: tf.Variable  #: batches since the last step
    sums: list[Any]  #: one per variable that has a gradient


class Accumulator:
    """Sum the gradients of several batches, then average them over the ranks and apply them.

    As in Horovod, every batch increments the optimizer's ``iterations``.

    Args:
        optimizer: the optimizer.
        reduce: averages gradients over the ranks.
        every: batches per step.
        scale: the divisor of the sums.
    """

    def __init__(self, optimizer: Any, reduce: Reduce, every: int, scale: int) -> None:
        self._optimizer, self._apply = optimizer, optimizer.apply_gradients
        self._reduce, self._every, self._scale = reduce, every, scale
        self._sums: dict[Any, _Sums] = {}

    @property
    def variables(self) -> list[tf.Variable]:
        """The variables that a checkpoint needs to resume between two steps."""
        return [variable for part in self._sums.values() for variable in (part.counter, *part.sums)]

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
        """Add gradients; apply the sums after every ``every`` batches."""
        gradients, variables = _unzipped(grads_and_vars)
        present = [
            (variable, tf.convert_to_tensor(gradient))
            for variable, gradient in zip(variables, gradients, strict=True)
            if gradient is not None
        ]
        part = self._part(present)
        for total, (_, gradient) in zip(part.sums, present, strict=True):
            total.assign_add(gradient)
        part.counter.assign_add(1)

        def step() -> tf.Tensor:
            reduced = iter(self._reduce([total / self._scale for total in part.sums]))
            averaged = [None if gradient is None else next(reduced) for gradient in gradients]
            self._apply(list(zip(averaged, variables, strict=True)), *args, **kwargs)
            for total in (part.counter, *part.sums):
                total.assign(tf.zeros_like(total))
            return tf.identity(self._optimizer.iterations)

        def skip() -> tf.Tensor:
            return tf.identity(self._optimizer.iterations.assign_add(1))

        return tf.cond(part.counter >= self._every, step, skip)

    def _part(self, present: list[tuple[Any, Any]]) -> _Sums:
        key = tuple(variable.ref() for variable, _ in present)
        if key not in self._sums:
            with tf.init_scope():  # outside the graph that is being traced
                self._sums[key] = _Sums(
                    tf.Variable(0, trainable=False, name="batches_summed"),
                    [
                        tf.Variable(tf.zeros(variable.shape, gradient.dtype), trainable=False)
                        for variable, gradient in present
                    ],
                )
        return self._sums[key]
