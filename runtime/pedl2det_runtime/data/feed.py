"""Feeds: one interface for the training loop to read Sequences, arrays and datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.data.loaders import ArraySequence, BatchSequence, is_dataset
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.tensors import (
    as_dataset,
    call_once,
    described,
    matches,
    of_any_length,
    of_any_shape,
    standardized,
)
from pedl2det_runtime.data.workers import BatchFeed, Workers
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.trial_code import location_of

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
    return _SequenceFeed(data, passes, workers, None, start)


def validation_feed(data: Any, workers: Workers, steps: int | None, ranks: Ranks = (0, 1)) -> Feed:
    """Read this rank's shard of the validation data once, at most ``steps`` batches of it."""
    if is_dataset(data):
        data = data if steps is None else data.take(steps)
        return _DatasetFeed(data, batches_in_pass(data))
    share = Sampler(len(data), None, *ranks).one_pass()[:steps]
    return _SequenceFeed(data, iter([share]), workers, len(share))


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
    def __init__(
        self,
        sequence: BatchSequence,
        passes: Iterator[list[int]],
        workers: Workers,
        steps: int | None,
        first: int = 0,
    ) -> None:
        if isinstance(sequence, ArraySequence):
            workers = Workers(
                count=0
            )  # slicing an array is faster than passing a batch to a thread
        self.steps = steps
        self.spec: Any = None
        self._sequence = sequence
        self._is_validation = steps is not None
        self._feed = BatchFeed(sequence, passes, workers, first, first + 1)

    @property
    def error(self) -> BaseException | None:
        return self._feed.error

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        first = standardized(next(self._feed))
        self.spec = tf.nest.map_structure(of_any_length, first)
        state = random_state.host_state()
        spec = self._spec_of_batches(model, first)
        if build:
            random_state.restore_host_state(state)
            _build_without_draws(model, spec)
        return as_dataset(first, self._following(first, spec), spec)

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

    def _following(self, first: Any, spec: Any) -> Iterator[Any]:
        """Yield the batches after the first one. Loading starts when the second is requested."""
        if self._is_validation:
            self._feed.allow(None)
        for number, batch in enumerate(self._feed, 2):
            standard = standardized(batch)
            if not matches(spec, standard):
                self._feed.error = self._mismatch(number, first, standard)
                raise self._feed.error
            yield standard

    def _mismatch(self, number: int, first: Any, other: Any) -> Exception:
        kind = type(self._sequence)
        location = location_of(kind.__getitem__)
        return InvalidExperimentException(
            f"{location + ': ' if location else ''}{kind.__name__}: batch {number} of this run is "
            f"{described(other)}, the first one was {described(first)}"
        )

    def allow(self, until: int) -> None:
        self._feed.allow(until)

    def hold(self, batches: int) -> int:
        return self._feed.hold(batches)

    def finish(self) -> None:
        self._feed.allow(None)
        next(self._feed, None)  # a request after the last batch ends the pass

    def close(self) -> None:
        self._feed.close()


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

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass
