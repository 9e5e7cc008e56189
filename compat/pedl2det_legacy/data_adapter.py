"""`KerasDataAdapter`, and data of loaders as Determined takes them today."""

import itertools

import numpy as np
import tensorflow as tf

from pedl2det_legacy.bound_context import context


class KerasDataAdapter(tf.keras.utils.Sequence):
    """A Sequence, and the workers that are to read it."""

    def __init__(
        self,
        sequence=None,
        use_multiprocessing=False,
        workers=1,
        max_queue_size=10,
        *,
        data=None,
    ):
        self.sequence = data if sequence is None else sequence
        if self.sequence is None:
            raise TypeError("KerasDataAdapter: expected a Sequence")
        if len(self.sequence) == 0:
            raise ValueError(
                "KerasDataAdapter: the Sequence must have a non-zero length"
            )
        self.use_multiprocessing = use_multiprocessing
        self.workers = workers
        self.max_queue_size = max_queue_size
        self._batches = None

    def __len__(self):
        return len(self.sequence)

    def __getitem__(self, index):
        return self.sequence[index]

    def on_epoch_end(self):
        """Tell the wrapped Sequence that a pass is over."""
        if hasattr(self.sequence, "on_epoch_end"):
            self.sequence.on_epoch_end()

    def start(self, batch_offset=0, is_validation=False):
        """Begin to read: one pass for a validation, without end otherwise."""
        self._batches = self._read(0 if is_validation else batch_offset, is_validation)

    def get_iterator(self):
        """Return the batches after `start()`."""
        if self._batches is None:
            raise RuntimeError("KerasDataAdapter.get_iterator: call start() first")
        return self._batches

    def stop(self, timeout=None):
        """End reading."""
        self._batches = None

    def _read(self, first, is_validation):
        length = len(self.sequence)
        for number in itertools.count(first):
            yield self.sequence[number % length]
            if number % length == length - 1:
                self.on_epoch_end()
                if is_validation:
                    return


#: The name of the adapter in Determined 0.12.1 and later.
SequenceAdapter = KerasDataAdapter


def training_loader(context, loader, batch_size=None):
    """Return training data as `build_training_data_loader` may return them.

    The settings of a KerasDataAdapter are given to `context.configure_fit`. Records of
    a BatchLoader are cut into batches of `batch_size`.
    """
    if isinstance(loader, KerasDataAdapter):
        context.configure_fit(
            use_multiprocessing=loader.use_multiprocessing,
            workers=loader.workers,
            max_queue_size=loader.max_queue_size,
        )
    return validation_loader(context, loader, batch_size)


def validation_loader(context, loader, batch_size=None):
    """Return validation data as `build_validation_data_loader` may return them."""
    if isinstance(loader, KerasDataAdapter):
        loader = loader.sequence
    if hasattr(loader, "get_batch"):
        loader = loader.batches(batch_size)
    if isinstance(loader, tuple):
        return tuple(each_array(np.asarray, part) for part in loader)
    if _is_like_a_sequence(loader):
        return KerasDataAdapter(loader)  # Determined wants a Sequence, and this is one
    # A tf.data.Dataset that the trial did not shard is read whole by every process.
    return context.wrap_dataset(loader, shard_dataset=False)


def _is_like_a_sequence(loader):
    if isinstance(loader, (tf.keras.utils.Sequence, list, dict, str)):
        return False
    has_batches = hasattr(loader, "__getitem__") and hasattr(loader, "__len__")
    return has_batches and not hasattr(loader, "__array__")


def each_array(function, part):
    """Apply a function to an array, a pandas object or a tensor, or to each of several."""
    if isinstance(part, dict):
        return {name: each_array(function, value) for name, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [each_array(function, value) for value in part]
    return function(part) if hasattr(part, "__array__") else part


def whole_batches(*arrays, batch_size):
    """Leave out the records that do not fill a batch; what is no array stays as it is."""

    def trim(array):
        has_records = len(getattr(array, "shape", ())) > 0
        whole = len(array) // batch_size * batch_size if has_records else 0
        return np.asarray(array)[:whole] if has_records else array

    if len(arrays) == 1 and isinstance(arrays[0], tuple):
        return whole_batches(*arrays[0], batch_size=batch_size)
    trimmed = tuple(each_array(trim, part) for part in arrays)
    return trimmed if len(trimmed) > 1 else trimmed[0]


def wrap_dataset(dataset):
    """Give each process its share of a tf.data.Dataset, or of each in a dict or tuple."""
    return tf.nest.map_structure(
        lambda part: (
            context().wrap_dataset(part) if isinstance(part, tf.data.Dataset) else part
        ),
        dataset,
    )
