import collections
import concurrent.futures
import itertools
import math
import multiprocessing
import random

import numpy as np
import tensorflow as tf

#: What a loader of a trial returns.
InputData = object


class SequenceAdapter:
    """A Sequence with settings of the workers that load its batches."""

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
        self.settings = {"workers": workers, "max_queue_size": max_queue_size}
        self.settings["use_multiprocessing"] = use_multiprocessing

    def __len__(self):
        return len(self.sequence)


def training_dataset(context, data):
    """Return training data as a dataset without end.

    The order of batches is shuffled by the seed unless ``configure_fit(shuffle=False)`` was called;
    a ``tf.data.Dataset`` keeps its own.
    """
    if isinstance(data, tf.data.Dataset):
        return data.repeat()
    if isinstance(data, SequenceAdapter):
        context.configure_fit(**data.settings)
    batches = _batches(context, data)
    random_order = np.random.RandomState(context.get_trial_seed() % 2**32)

    def all_passes():
        order, first = np.arange(len(batches)), 0
        while True:
            if context.fit["shuffle"]:
                random_order.shuffle(order)
            yield from _loaded(context, batches, order.tolist(), (0,), first)
            _end_pass(batches)
            first += len(order)

    endless = all_passes()
    first = next(endless)
    return _dataset(
        lambda: itertools.chain([first], endless), _spec(context.model, first)
    )


def validation_dataset(context, data):
    """Return validation data as a dataset that ends."""
    if isinstance(data, tf.data.Dataset):
        steps = context.fit["validation_steps"]
        return data if steps is None else data.take(steps)
    batches = _batches(context, data)
    last = len(batches) - 1

    def one_pass():
        words = (1, context.batches)
        loaded = _loaded(context, batches, range(len(batches)), words, 0)
        for number, batch in enumerate(loaded):
            if number == last:  # Keras asks for no more
                _end_pass(batches)
            yield batch

    states = random.getstate(), np.random.get_state()
    first = _standard(batches[0])  # only looked at
    random.setstate(states[0])
    np.random.set_state(states[1])
    return _dataset(one_pass, _spec(context.model, first)).apply(
        tf.data.experimental.assert_cardinality(len(batches))
    )


def _batches(context, data):
    """Return a Sequence of batches; arrays are cut."""
    if isinstance(data, SequenceAdapter):
        return data.sequence
    if isinstance(data, tuple):
        return _Arrays(data, context.get_per_slot_batch_size())
    return data


class _Arrays:
    """Arrays, or lists and dicts of them, cut into batches."""

    def __init__(self, parts, batch_size):
        parts = parts[:2] if parts[-1] is None else parts
        self._parts = tf.nest.map_structure(np.asarray, tuple(parts))
        self._size = batch_size
        self._records = len(tf.nest.flatten(self._parts)[0])

    def __len__(self):
        return math.ceil(self._records / self._size)

    def __getitem__(self, index):
        records = slice(index * self._size, (index + 1) * self._size)
        return tf.nest.map_structure(lambda array: array[records], self._parts)


def _loaded(context, batches, indices, words, first):
    """Load batches in order, in this process or in others.

    Args:
        words: numbers that, with the seed and the number of a batch, seed other processes.
        first: the number of the first batch.
    """
    workers = context.fit["workers"]
    if not (context.fit["use_multiprocessing"] and workers):
        for index in indices:
            yield _standard(batches[index])
        return
    words = (context.get_trial_seed(), *words)
    fork = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(
        workers, fork, _begin, (batches,)
    ) as pool:
        waiting = collections.deque()
        for number, index in enumerate(indices, first):
            waiting.append(pool.submit(_load, index, (*words, number)))
            if len(waiting) > context.fit["max_queue_size"]:
                yield _standard(waiting.popleft().result())
        while waiting:
            yield _standard(waiting.popleft().result())


_of_this_process = []


def _begin(batches):
    """Keep the data of a worker process."""
    _of_this_process[:] = [batches]


def _load(index, words):
    """Load a batch in a worker process, seeded by its number: any process gives the same."""
    states = np.random.SeedSequence(words).generate_state(2)
    np.random.seed(int(states[0]))
    random.seed(int(states[1]))
    return _of_this_process[0][index]


def _end_pass(batches):
    """Tell a Sequence that a pass has ended."""
    getattr(batches, "on_epoch_end", lambda: None)()


def _standard(value):
    """Return a batch as Keras converts it: floats of one width, tuples for lists, no pandas."""
    if isinstance(value, (list, tuple)):
        parts = list(value)
        while len(parts) > 1 and parts[-1] is None:
            parts.pop()
        return tuple(_standard(part) for part in parts)
    if isinstance(value, dict):
        return {name: _standard(part) for name, part in value.items()}
    if hasattr(value, "iloc"):
        array = value.to_numpy()
        return _standard(array if array.ndim > 1 else array[:, None])
    if isinstance(value, np.ndarray) and value.dtype.kind in "fO":
        is_text = value.size and isinstance(value.flat[0], (str, bytes))
        return value if is_text else value.astype(tf.keras.backend.floatx(), copy=False)
    return value


def _spec(model, batch):
    """Return the specs of batches like this one, which also builds a model without shapes."""
    tensors = tf.nest.map_structure(tf.convert_to_tensor, batch)
    keeps_shape = False
    if not model.built:
        try:
            model(tensors[0] if isinstance(tensors, tuple) else tensors, training=False)
        except NotImplementedError:  # it has no forward pass
            pass
        except (TypeError, ValueError, tf.errors.InvalidArgumentError):
            keeps_shape = True  # its own training step builds it

    def spec(tensor):
        inner = tensor.shape[1:] if keeps_shape else [None] * (tensor.shape.rank - 1)
        return tf.TensorSpec([None, *inner] if tensor.shape.rank else [], tensor.dtype)

    return tf.nest.map_structure(spec, tensors)


def _dataset(batches, spec):
    """Return a dataset that loads a batch when it is asked for it, and none before."""
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    options.autotune.enabled = False
    return tf.data.Dataset.from_generator(batches, output_signature=spec).with_options(
        options
    )
