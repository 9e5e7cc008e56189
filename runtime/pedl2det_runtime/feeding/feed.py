"""Where the controller gets its data from, whatever a loader returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import tensorflow as tf

from pedl2det_runtime import graph_mode, seeds
from pedl2det_runtime.data import ArraySequence, BatchSequence, is_dataset
from pedl2det_runtime.feeding.tensors import as_dataset, blank, build, standardized
from pedl2det_runtime.feeding.workers import BatchFeed, Workers
from pedl2det_runtime.sampler import Sampler


class Feed(Protocol):
    """Batches for one ``fit`` or one ``evaluate``.

    Attributes:
        steps: how many batches there are; None if that is not known, or they never end.
        inputs: what the model reads of a batch, as ``tf.TensorSpec``; known once it is open.
    """

    steps: int | None
    inputs: Any

    @property
    def error(self) -> BaseException | None:
        """What the data raised, if they did."""

    def open(self, model: Any, *, resuming: bool) -> tf.data.Dataset:
        """The batches; the model is built first where that needs them.

        Args:
            model: the model that reads them.
            resuming: whether the model is about to be restored, so that it must be built now, and
                the random states must not notice: the first run had built it already.
        """

    def allow(self, until: int) -> None:
        """Let batches be made up to number ``until`` of the training."""

    def finish(self) -> None:
        """Tell the data that a pass over them is over."""

    def close(self) -> None:
        """End the workers."""


def training_feed(data: Any, workers: Workers, shuffle_seed: int | None, start: int) -> Feed:
    """The training data from batch ``start`` on, without end.

    Args:
        data: a sequence of batches, or a ``tf.data.Dataset``, which is read in its own order.
        workers: who makes the batches of a sequence.
        shuffle_seed: seed of the order of batches, or None.
        start: the number of the first batch; no more than one is made until
            :meth:`Feed.allow` is called.
    """
    if is_dataset(data):
        return _DatasetFeed(data.repeat().skip(start) if start else data.repeat(), None)
    passes = Sampler(len(data), shuffle_seed).passes(start)
    return _SequenceFeed(data, passes, workers, None, first=start, until=start + 1)


def validation_feed(data: Any, workers: Workers, steps: int | None) -> Feed:
    """One pass over the validation data, or the first ``steps`` batches of it."""
    if is_dataset(data):
        return _DatasetFeed(
            data if steps is None else data.take(steps), steps or batches_in_pass(data)
        )
    share = Sampler(len(data)).one_pass()[:steps]
    return _SequenceFeed(data, iter([share]), workers, len(share), first=0, until=None)


def batches_in_pass(data: Any) -> int | None:
    """Batches in one pass over some data; None where a dataset does not know."""
    if not is_dataset(data):
        return len(data)
    count = int(graph_mode.value(data.cardinality()))
    return count if count > 0 else None


def _build(model: Any, batch: Any, *, unnoticed: bool) -> None:
    state = seeds.host_state()
    build(model, batch)
    if unnoticed:
        seeds.restore_host_state(state)


def _inputs(batch: Any) -> Any:
    return batch[0] if isinstance(batch, tuple) else batch


def _of_any_length(array: Any) -> tf.TensorSpec:
    tensor = tf.convert_to_tensor(array)
    return tf.TensorSpec([None, *tensor.shape[1:]], tensor.dtype)


class _SequenceFeed:
    def __init__(
        self,
        sequence: BatchSequence,
        passes: Iterator[list[int]],
        workers: Workers,
        steps: int | None,
        *,
        first: int,
        until: int | None,
    ) -> None:
        if isinstance(sequence, ArraySequence):
            workers = Workers(count=0)  # cutting an array is quicker than handing a batch over
        self.steps = steps
        self.inputs: Any = None
        self._feed = BatchFeed(sequence, passes, workers, first, until)

    @property
    def error(self) -> BaseException | None:
        return self._feed.error

    def open(self, model: Any, *, resuming: bool) -> tf.data.Dataset:
        first = standardized(next(self._feed))
        self.inputs = tf.nest.map_structure(_of_any_length, _inputs(first))
        _build(model, first, unnoticed=resuming)
        return as_dataset(first, self._feed)

    def allow(self, until: int) -> None:
        self._feed.allow(until)

    def finish(self) -> None:
        next(self._feed, None)  # asking beyond the last batch ends the pass

    def close(self) -> None:
        self._feed.close()


class _DatasetFeed:
    error = None

    def __init__(self, dataset: tf.data.Dataset, steps: int | None) -> None:
        self.steps = steps
        self.inputs = _inputs(dataset.element_spec)
        self._dataset = dataset

    def open(self, model: Any, *, resuming: bool) -> tf.data.Dataset:
        if resuming:
            # The weights to restore need variables. A batch of the dataset itself would not do:
            # a second iterator over a shuffled dataset changes the order of the first.
            _build(model, blank(self._dataset.element_spec), unnoticed=True)
        return self._dataset

    def allow(self, until: int) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass
