"""Feeds: one interface for the training loop to read Sequences, arrays and datasets."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any, Protocol

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.data.loaders import ArraySequence, BatchSequence, is_dataset
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.stacks import ArrayStacks, SequenceStacks
from pedl2det_runtime.data.tensors import StackedDatasets, call_once, of_any_length, of_any_shape
from pedl2det_runtime.data.workers import Workers

#: The rank of this process and the number of ranks.
Ranks = tuple[int, int]


class Feed(Protocol):
    """Batches for one ``fit`` or one ``evaluate``.

    Attributes:
        steps: number of batches; None if it is unknown or infinite.
        spec: the nested ``tf.TensorSpec`` of a batch; set by :meth:`open`.
    """

    steps: int | None
    spec: Any

    @property
    def error(self) -> BaseException | None:
        """The exception that the data raised, or None."""

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        """Return the batches as a dataset.

        Args:
            model: the model that reads the batches. It may be built from the first one.
            build: whether to create the model's variables now, because they are restored next.
                This does not change the random states.
        """

    def allow(self, until: int) -> None:
        """Allow loading of batches up to number ``until`` of the training."""

    def hold(self, batches: int) -> int:
        """Make no further batch than are made, of which so many have been used.

        Returns:
            How many must be used before all random states belong to the last of them.
        """

    def read_ahead(self, until: int) -> None:
        """Allow reading batches up to number ``until`` at once: an execution ends with it."""

    def finish(self) -> None:
        """Signal the end of a pass to the data."""

    def close(self) -> None:
        """Stop the workers."""


def training_feed(
    data: Any, workers: Workers, shuffle_seed: int | None, start: int, ranks: Ranks = (0, 1)
) -> Feed:
    """Read the training data endlessly from batch ``start``.

    Args:
        data: a sequence of batches or a ``tf.data.Dataset``. A dataset keeps its own order.
        workers: the workers that load the batches of a sequence.
        shuffle_seed: seed of the order of batches, or None for the order of the data.
        start: number of the first batch. Only this batch is loaded before :meth:`Feed.allow` is
            called.
        ranks: rank of this process and number of processes that share a sequence. Datasets are
            already sharded.
    """
    if is_dataset(data):
        return _DatasetFeed(data.repeat().skip(start) if start else data.repeat(), None)
    passes = Sampler(len(data), shuffle_seed, *ranks).passes(start)
    return _SequenceFeed(_stacks(data, passes, workers, start), StackedDatasets(), None, start)


def validation_feed(
    data: Any,
    workers: Workers,
    steps: int | None,
    datasets: StackedDatasets,
    ranks: Ranks = (0, 1),
) -> Feed:
    """Read this rank's shard of the validation data once, at most ``steps`` batches of it.

    Args:
        data: a sequence of batches or a ``tf.data.Dataset``.
        workers: the workers that load the batches of a sequence.
        steps: the most batches to read; None for all.
        datasets: makes the datasets; the same for all validations of a run.
        ranks: rank of this process and number of processes that share a sequence.
    """
    if is_dataset(data):
        data = data if steps is None else data.take(steps)
        return _DatasetFeed(data, batches_in_pass(data))
    share = Sampler(len(data), None, *ranks).one_pass()[:steps]
    return _SequenceFeed(_stacks(data, iter([share]), workers), datasets, len(share))


def _stacks(
    data: BatchSequence, passes: Iterator[list[int]], workers: Workers, first: int = 0
) -> ArrayStacks | SequenceStacks:
    if isinstance(data, ArraySequence):
        return ArrayStacks(data, passes)
    return SequenceStacks(data, passes, workers, first)


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


class _SequenceFeed:
    """Batches of a sequence.

    Args:
        reader: reads them.
        datasets: makes the datasets, or has made them for an earlier feed.
        steps: number of batches; None for a training.
        first: number of the first batch.
    """

    def __init__(
        self,
        reader: ArrayStacks | SequenceStacks,
        datasets: StackedDatasets,
        steps: int | None,
        first: int = 0,
    ) -> None:
        self.steps = steps
        self.spec: Any = None
        self._reader = reader
        self._datasets = datasets
        self._is_validation = steps is not None
        self._read = self._until = first

    @property
    def error(self) -> BaseException | None:
        return self._reader.error

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        stack = self._take()
        first = tf.nest.map_structure(lambda array: array[0], stack)
        self.spec = tf.nest.map_structure(of_any_length, first)
        state = random_state.host_state()
        spec = self._spec_of_batches(model, first)
        if build:
            random_state.restore_host_state(state)
            _build_without_draws(model, spec)
        self._reader.spec = spec
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
            self._reader.allow(None)
        with contextlib.suppress(StopIteration):
            while True:
                yield self._take()

    def _take(self) -> Any:
        stack = self._reader.take(max(self._until - self._read, 1))
        self._read += len(tf.nest.flatten(stack)[0])
        return stack

    def read_ahead(self, until: int) -> None:
        self._until = until

    def allow(self, until: int) -> None:
        self._reader.allow(until)

    def hold(self, batches: int) -> int:
        return self._reader.hold(batches)

    def finish(self) -> None:
        self._reader.finish()

    def close(self) -> None:
        self._reader.close()


class _DatasetFeed:
    error = None

    def __init__(self, dataset: tf.data.Dataset, steps: int | None) -> None:
        self.steps = steps
        self.spec = dataset.element_spec
        self._dataset = dataset

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        if build:
            _build_without_draws(model, self.spec)
        return self._dataset

    def allow(self, until: int) -> None:
        pass

    def hold(self, batches: int) -> int:
        return batches

    def read_ahead(self, until: int) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass
