"""Average the gradients of all ranks before an optimizer clips and applies them.

They are averaged in one group of Horovod's, so that its sums always have the same order and a run
can be repeated bit for bit. Horovod's own wrapper does the same, but supports no optimizer of Keras
2.11 and later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode
from pedl2det_runtime.config.model import Optimizations
from pedl2det_runtime.errors import InvalidExperimentException

Reduce = Callable[[list[Any]], list[Any]]


def average_gradients(optimizers: Sequence[Any], settings: Optimizations) -> list[Accumulator]:
    """Have each optimizer apply the average of the gradients of all ranks.

    Args:
        optimizers: those that train the model; of a ``LossScaleOptimizer`` the outer one, so that
            all ranks agree on whether a step is skipped.
        settings: how the gradients of several batches become one.

    Returns:
        The accumulators of gradients of several batches; empty if each batch is applied.

    Raises:
        InvalidExperimentException: gradients of several batches are to be aggregated in graph mode.
    """
    every = settings.aggregation_frequency
    if every > 1 and graph_mode.is_chosen():
        raise InvalidExperimentException(
            "optimizations.aggregation_frequency: gradients of several batches are aggregated in "
            "eager mode only: leave it out, or do not disable eager execution"
        )
    reduce = _reducer(compressed=settings.gradient_compression)
    accumulators = []
    for optimizer in optimizers:
        apply = optimizer.apply_gradients
        if every > 1:
            scale = every if settings.average_aggregated_gradients else 1
            accumulators.append(Accumulator(optimizer, apply, reduce, every, scale))
            apply = accumulators[-1].apply_gradients
        else:
            apply = _reducing(apply, reduce)
        optimizer.apply_gradients = apply  # of this one alone: its class and config stay its own
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
        rest = iter(averaged)
        return [None if gradient is None else next(rest) for gradient in gradients]

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
    """Sums of the gradients of some variables over batches.

    Attributes:
        counter: batches since the last step.
        sums: one for each variable that has a gradient.
    """

    counter: tf.Variable
    sums: list[Any]


class Accumulator:
    """Sum the gradients of several batches, then average them over the ranks and apply them.

    Batches between two steps count as iterations of the optimizer, as Horovod counts them.

    Args:
        optimizer: the optimizer.
        apply: its ``apply_gradients``.
        reduce: averages gradients over the ranks.
        every: batches in one step.
        scale: the divisor of the sums.
    """

    def __init__(
        self, optimizer: Any, apply: Callable[..., Any], reduce: Reduce, every: int, scale: int
    ) -> None:
        self._optimizer = optimizer
        self._apply = apply
        self._reduce = reduce
        self._every = every
        self._scale = scale
        self._sums: dict[Any, _Sums] = {}

    @property
    def variables(self) -> list[tf.Variable]:
        """The variables that a checkpoint needs to resume between two steps."""
        return [variable for part in self._sums.values() for variable in (part.counter, *part.sums)]

    def apply_gradients(self, grads_and_vars: Any, *args: Any, **kwargs: Any) -> tf.Tensor:
        """Add gradients; take a step after every N-th batch."""
        gradients, variables = _unzipped(grads_and_vars)
        there = [
            (variable, tf.convert_to_tensor(gradient))
            for variable, gradient in zip(variables, gradients, strict=True)
            if gradient is not None
        ]
        part = self._part(there)
        for total, (_, gradient) in zip(part.sums, there, strict=True):
            total.assign_add(gradient)
        part.counter.assign_add(1)

        def step() -> tf.Tensor:
            reduced = iter(self._reduce([total / self._scale for total in part.sums]))
            averaged = [None if gradient is None else next(reduced) for gradient in gradients]
            self._apply(list(zip(averaged, variables, strict=True)), *args, **kwargs)
            for total in (part.counter, *part.sums):
                total.assign(tf.zeros_like(total))
            return tf.identity(self._optimizer.iterations)

        def wait() -> tf.Tensor:
            return tf.identity(self._optimizer.iterations.assign_add(1))

        return tf.cond(part.counter >= self._every, step, wait)

    def _part(self, there: list[tuple[Any, Any]]) -> _Sums:
        key = tuple(variable.ref() for variable, _ in there)
        if key not in self._sums:
            with tf.init_scope():  # outside of the graph that is being traced
                self._sums[key] = _Sums(
                    tf.Variable(0, trainable=False, name="batches_summed"),
                    [
                        tf.Variable(tf.zeros(variable.shape, gradient.dtype), trainable=False)
                        for variable, gradient in there
                    ],
                )
        return self._sums[key]
