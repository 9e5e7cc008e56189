"""Read what a data loader returns, batch by batch. Python 3.7."""

import numpy as np
import tensorflow as tf


class ArrayBatches:
    """Arrays cut into batches.

    Args:
        arrays: inputs, targets and maybe weights; each an array, or a list or dict of arrays.
        size: records per batch.
        drops_rest: whether to leave a smaller last batch out.
    """

    def __init__(self, arrays, size, drops_rest):
        self._arrays, self._size = [part for part in arrays if part is not None], size
        records = len(tf.nest.flatten(arrays)[0])
        self._length = records // size if drops_rest else -(-records // size)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        rows = slice(index * self._size, (index + 1) * self._size)
        return tuple(
            tf.nest.map_structure(lambda array: np.asarray(array)[rows], part)
            for part in self._arrays
        )


def as_batches(loader, size, drops_rest=False):
    """Convert what a loader returned into a Sequence of batches or a dataset."""
    if isinstance(loader, tuple):
        return ArrayBatches(loader, size, drops_rest)
    return getattr(loader, "sequence", loader)


def one_pass(batches):
    """Yield the batches of one pass over the data."""
    if isinstance(batches, tf.data.Dataset):
        yield from _values(batches)
    else:
        for index in range(len(batches)):
            yield batches[index]


def endless(batches, shuffle_seed=None):
    """Yield the batches of pass after pass.

    Args:
        batches: a Sequence of batches or a dataset.
        shuffle_seed: seed of the order of a Sequence's batches; None for their own order.
    """
    if isinstance(batches, tf.data.Dataset):
        yield from _values(batches.repeat())
    order = list(range(len(batches)))
    generator = np.random.RandomState(shuffle_seed)
    while True:
        if shuffle_seed is not None:
            generator.shuffle(order)
        for index in order:
            yield batches[index]
        if hasattr(batches, "on_epoch_end"):
            batches.on_epoch_end()


def _values(dataset):
    session = tf.keras.backend.get_session()
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    batch = iterator.get_next()
    session.run(iterator.initializer)
    while True:
        try:
            yield session.run(batch)
        except tf.errors.OutOfRangeError:
            return
