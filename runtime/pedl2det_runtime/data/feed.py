"""Feeds: one interface for the training loop to read Sequences, arrays and datasets.

Several batches of a Sequence or of arrays are stacked to the shape (batches, records, ...), so that
TensorFlow calls Python once for all of them. A stack ends before the batch at which the trial or a
callback may act, and has at most 8 MB, so that the first batch is ready soon.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.data.loaders import ArraySequence, BatchSequence, is_dataset
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.tensors import (
    StackedDatasets,
    call_once,
    describe_batch,
    matches,
    of_any_length,
    of_any_shape,
    shapes,
    stacked,
    standardized,
)
from pedl2det_runtime.data.workers import BatchFeed, Horizon, Reader, Workers
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.trial_code import location_of

#: The rank of this process and the number of ranks.
Ranks = tuple[int, int]
#: The size of a stack in bytes, unless one batch is larger.
LARGEST_STACK = 8 * 2**20


class Feed:
    """The batches of a dataset, for one ``fit`` or one ``evaluate``.

    Args:
        dataset: the dataset.
        steps: number of batches; None if it is unknown or infinite.

    Attributes:
        steps: number of batches; None if it is unknown or infinite.
        spec: the nested ``tf.TensorSpec`` of a batch; set by :meth:`open`.
        horizon: how many batches may be loaded and read.
        reader: reads the batches.
    """

    def __init__(self, dataset: tf.data.Dataset | None, steps: int | None) -> None:
        self.steps = steps
        self.spec = None if dataset is None else dataset.element_spec
        self.horizon = Horizon()
        self.reader = Reader()
        self._dataset = dataset

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        """Return the batches as a dataset.

        Args:
            model: the model that reads the batches. It may be built from the first one.
            build: whether to create the model's variables now, because they are restored next.
                This does not change the random states.
        """
        if build:
            _build_without_draws(model, self.spec)
        return self._dataset


def training_feed(
    data: Any, workers: Workers, shuffle_seed: int | None, start: int, ranks: Ranks = (0, 1)
) -> Feed:
    """Read the training data endlessly from batch ``start``.

    Args:
        data: a sequence of batches or a ``tf.data.Dataset``. A dataset keeps its own order.
        workers: the workers that load the batches of a sequence.
        shuffle_seed: seed of the order of batches, or None for the order of the data.
        start: number of the first batch. Only this batch is loaded before the horizon is moved.
        ranks: this rank and the number of ranks that share a sequence. Datasets are sharded before.
    """
    if is_dataset(data):
        return Feed(data.repeat().skip(start) if start else data.repeat(), None)
    passes = Sampler(len(data), shuffle_seed, *ranks).passes(start)
    return _SequenceFeed(data, passes, workers, StackedDatasets(), None, start)


def validation_feed(
    data: Any,
    workers: Workers,
    steps: int | None,
    datasets: StackedDatasets,
    ranks: Ranks = (0, 1),
) -> Feed:
    """Read this rank's shard of the validation data once; see :func:`training_feed`.

    Args:
        data: a sequence of batches or a ``tf.data.Dataset``.
        workers: the workers that load the batches of a sequence.
        steps: the most batches to read; None for all.
        datasets: makes the datasets; the same for all validations of a run.
        ranks: this rank and the number of ranks that share a sequence.
    """
    if is_dataset(data):
        data = data if steps is None else data.take(steps)
        return Feed(data, batches_in_pass(data))
    share = Sampler(len(data), None, *ranks).one_pass()[:steps]
    return _SequenceFeed(data, iter([share]), workers, datasets, len(share))


def batches_in_pass(data: Any) -> int | None:
    """Return the number of batches in one pass; None for a dataset of unknown or infinite size."""
    if not is_dataset(data):
        return len(data)
    count = int(graph_mode.value(data.cardinality()))
    return count if count > 0 else None


def is_endless(dataset: tf.data.Dataset) -> bool:
    """Return whether a dataset is known to be infinite."""
    return bool(graph_mode.value(dataset.cardinality()) == tf.data.INFINITE_CARDINALITY)


def is_empty(dataset: tf.data.Dataset) -> bool:
    """Return whether a dataset is known to have no elements."""
    return bool(graph_mode.value(dataset.cardinality()) == 0)


def _build_without_draws(model: Any, spec: Any) -> None:
    """Create the model's variables and restore the random states afterwards."""
    state = random_state.host_state()
    keras_versions.build(model, spec)
    random_state.restore_host_state(state)


class _SequenceFeed(Feed):
    """The batches of a sequence."""

    def __init__(
        self,
        data: BatchSequence,
        passes: Iterator[list[int]],
        workers: Workers,
        datasets: StackedDatasets,
        steps: int | None,
        first: int = 0,
    ) -> None:
        super().__init__(None, steps)
        self.horizon = Horizon(first + 1, first)
        self.reader: ArrayStacks | SequenceStacks
        if isinstance(data, ArraySequence):
            self.reader = ArrayStacks(data, passes)
        else:
            self.reader = SequenceStacks(data, passes, workers, first, self.horizon)
        self._datasets = datasets
        self._is_validation = steps is not None
        self._read = first

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        """See :meth:`Feed.open`."""
        stack = self._take()
        first = tf.nest.map_structure(lambda array: array[0], stack)
        self.spec = tf.nest.map_structure(of_any_length, first)
        state = random_state.host_state()
        spec = self._spec_of_batches(model, first)
        if build:
            random_state.restore_host_state(state)
            _build_without_draws(model, spec)
        self.reader.spec = spec
        return self._datasets.reading(itertools.chain([stack], self._following()), spec)

    def _spec_of_batches(self, model: Any, first: Any) -> Any:
        """Return the spec of batches for the model, and build the model from the first batch.

        All sizes are None, as in Keras for Sequences and in Determined for arrays. Keras chooses
        the function of the metric "accuracy" by these shapes.
        """
        if graph_mode.is_chosen():
            keras_versions.build(model, self.spec)
        elif not call_once(model, first):
            return self.spec
        return tf.nest.map_structure(of_any_shape, first)

    def _following(self) -> Iterator[Any]:
        """Yield the stacks after the first. Loading starts when the second is requested."""
        if self._is_validation:
            self.horizon.made = None
        with contextlib.suppress(StopIteration):
            while True:
                yield self._take()

    def _take(self) -> Any:
        stack = self.reader.take(max(self.horizon.read - self._read, 1))
        self._read += len(tf.nest.flatten(stack)[0])
        return stack


class ArrayStacks(Reader):
    """Stacks of the batches of arrays, which have no random states and need no workers."""

    def __init__(self, sequence: ArraySequence, passes: Iterator[list[int]]) -> None:
        self._sequence = sequence
        self._passes = passes
        self._coming: list[int] = []
        self._max_batches = max(1, LARGEST_STACK // max(1, sequence.bytes_in_batch))

    def take(self, most: int) -> Any:
        """Return the next stack, of at most ``most`` batches.

        Raises:
            StopIteration: all passes have ended.
        """
        while not self._coming:  # a resumed pass may be at its end
            self._coming = list(next(self._passes))
        whole = self._sequence.whole_batches
        candidates = self._coming[: min(most, self._max_batches)]
        # A smaller batch is not stacked with others.
        indices = [*itertools.takewhile(lambda index: index < whole, candidates)] or candidates[:1]
        self._coming = self._coming[len(indices) :]
        return standardized(self._sequence.stack(indices))


class SequenceStacks(BatchFeed):
    """Stacks of the batches that the workers of a sequence have loaded already."""

    _loaded: Sequence[Any] = ()
    _first = ""
    _count = 0

    def take(self, most: int) -> Any:
        """Return the next stack, of at most ``most`` batches.

        Raises:
            StopIteration: all passes have ended.
            InvalidExperimentException: a batch does not match the first one.
        """
        if not self._loaded:
            self._loaded = [self._checked(batch) for batch in super().take(most)]
        first = shapes(self._loaded[0])
        batches = [*itertools.takewhile(lambda batch: shapes(batch) == first, self._loaded)]
        self._loaded = self._loaded[len(batches) :]
        return stacked(batches)

    def _checked(self, batch: Any) -> Any:
        standard = standardized(batch)
        self._count += 1
        if self.spec is None:
            self._first = describe_batch(standard)
        elif not matches(self.spec, standard):
            kind = type(self._sequence)
            location = location_of(kind.__getitem__)
            self.error = InvalidExperimentException(
                f"{location + ': ' if location else ''}{kind.__name__}: batch {self._count} of "
                f"this run is {describe_batch(standard)}, the first one was {self._first}"
            )
            raise self.error
        return standard
