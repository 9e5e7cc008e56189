"""Where the controller gets its data from, whatever a loader returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import tensorflow as tf

from pedl2det_runtime.backends import graph_mode, keras_versions, random_state
from pedl2det_runtime.data.loaders import ArraySequence, BatchSequence, is_dataset
from pedl2det_runtime.data.sampler import Sampler
from pedl2det_runtime.data.tensors import (
    are_like,
    as_dataset,
    call_once,
    described,
    of_any_length,
    of_any_shape,
    standardized,
)
from pedl2det_runtime.data.workers import BatchFeed, Workers
from pedl2det_runtime.errors import InvalidExperimentException
from pedl2det_runtime.errors.trial_code import place_of

#: Which of the ranks this process is, and how many there are.
Ranks = tuple[int, int]


class Feed(Protocol):
    """Batches for one ``fit`` or one ``evaluate``.

    Attributes:
        steps: how many batches there are; None if that is not known, or they never end.
        spec: what a batch is, in ``tf.TensorSpec``; known once it is open.
    """

    steps: int | None
    spec: Any

    @property
    def error(self) -> BaseException | None:
        """What the data raised, if they did."""

    def open(self, model: Any, *, build: bool) -> tf.data.Dataset:
        """The batches; the model is built first where that needs them.

        Args:
            model: the model that reads them.
            build: whether the model must be built now, because its variables are about to get
                their values; the random states do not notice.
        """

    def allow(self, until: int) -> None:
        """Let batches be made up to number ``until`` of the training."""

    def finish(self) -> None:
        """Tell the data that a pass over them is over."""

    def close(self) -> None:
        """End the workers."""


def training_feed(
    data: Any, workers: Workers, shuffle_seed: int | None, start: int, ranks: Ranks = (0, 1)
) -> Feed:
    """The training data from batch ``start`` on, without end.

    Args:
        data: a sequence of batches, or a ``tf.data.Dataset``, which is read in its own order.
        workers: who makes the batches of a sequence.
        shuffle_seed: seed of the order of batches, or None.
        start: the number of the first batch; no more than one is made until
            :meth:`Feed.allow` is called.
        ranks: which process this is, of how many that share a sequence. Datasets come sharded.
    """
    if is_dataset(data):
        return _DatasetFeed(data.repeat().skip(start) if start else data.repeat(), None)
    passes = Sampler(len(data), shuffle_seed, *ranks).passes(start)
    return _SequenceFeed(data, passes, workers, None, start)


def validation_feed(data: Any, workers: Workers, steps: int | None, ranks: Ranks = (0, 1)) -> Feed:
    """One pass over this rank's share of the validation data, or the first ``steps`` of it."""
    if is_dataset(data):
        data = data if steps is None else data.take(steps)
        return _DatasetFeed(data, batches_in_pass(data))
    share = Sampler(len(data), None, *ranks).one_pass()[:steps]
    return _SequenceFeed(data, iter([share]), workers, len(share))


def batches_in_pass(data: Any) -> int | None:
    """Batches in one pass over some data; None where a dataset does not know."""
    if not is_dataset(data):
        return len(data)
    count = int(graph_mode.value(data.cardinality()))
    return count if count > 0 else None


def is_endless(dataset: tf.data.Dataset) -> bool:
    """Whether one pass over a dataset is known to have no end."""
    return bool(graph_mode.value(dataset.cardinality()) == tf.data.INFINITE_CARDINALITY)


def _build_unnoticed(model: Any, spec: Any) -> None:
    """Make the variables that a checkpoint gives their values; the random states stay."""
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
            workers = Workers(count=0)  # cutting an array is quicker than handing a batch over
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
            _build_unnoticed(model, spec)
        return as_dataset(first, self._others(first, spec), spec)

    def _spec_of_batches(self, model: Any, first: Any) -> Any:
        """What every batch is, to the model, which takes its shapes from the first one.

        As Keras has it for Sequences, and Determined for arrays too: no size is known of a batch.
        What "accuracy" means depends on it.
        """
        if graph_mode.is_chosen():
            keras_versions.build(model, self.spec)
        elif not call_once(model, first):
            return self.spec
        return tf.nest.map_structure(of_any_shape, first)

    def _others(self, first: Any, spec: Any) -> Iterator[Any]:
        """The batches after the first; begun when the second is asked for, and the model built."""
        if self._is_validation:
            self._feed.allow(None)
        for number, batch in enumerate(self._feed, 2):
            others = standardized(batch)
            if not are_like(spec, others):
                self._feed.error = self._unlike(number, first, others)
                raise self._feed.error
            yield others

    def _unlike(self, number: int, first: Any, other: Any) -> Exception:
        kind = type(self._sequence)
        place = place_of(kind.__getitem__)
        return InvalidExperimentException(
            f"{place + ': ' if place else ''}{kind.__name__}: batch {number} of this run is "
            f"{described(other)}, the first one was {described(first)}"
        )

    def allow(self, until: int) -> None:
        self._feed.allow(until)

    def finish(self) -> None:
        self._feed.allow(None)
        next(self._feed, None)  # asking beyond the last batch ends the pass

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
            _build_unnoticed(model, self.spec)
        return self._dataset

    def allow(self, until: int) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass
