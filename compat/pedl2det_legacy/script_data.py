"""What a script gives to `fit`, for a trial."""

import itertools
import math
import random
import sys
import threading

import determined.keras
import numpy as np
import tensorflow as tf

from pedl2det_legacy.epochs import with_epoch_logs
from pedl2det_legacy.fit_arguments import (
    are_arrays,
    bind_fit,
    give_validation_data,
    split_arrays,
)
from pedl2det_legacy.metric_names import with_old_names


class ArrayBatches(tf.keras.utils.Sequence):
    """Batches cut from a tuple of arrays, `(x, y)` or `(x, y, weights)`, by their own size."""

    def __init__(self, arrays, batch_size):
        given = tuple(part for part in arrays if part is not None)
        self._arrays = tf.nest.map_structure(np.asarray, given)
        records = len(tf.nest.flatten(self._arrays)[0])
        self._size = min(batch_size, records)
        self._length = -(-records // self._size)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        cut = slice(index * self._size, (index + 1) * self._size)
        return tf.nest.map_structure(lambda array: array[cut], self._arrays)


class FirstBatches(tf.keras.utils.Sequence):
    """The first batches of a sequence."""

    def __init__(self, sequence, batches):
        self._sequence = sequence
        self._length = min(math.ceil(batches), len(sequence))

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self._sequence[index]

    def on_epoch_end(self):
        """Tell the whole sequence."""
        getattr(self._sequence, "on_epoch_end", lambda: None)()


class _Source:
    """A generator without end that counts; a resumed run begins with a new one."""

    def __init__(self, generator):
        self._generator = iter(generator)
        self.drawn = 0

    def draw(self, skipped=0):
        """Return the next element behind some."""
        self.drawn += skipped + 1
        return next(itertools.islice(self._generator, skipped, None))


class GeneratedBatches(tf.keras.utils.Sequence):
    """Batches of a generator without end, of which some count as a pass over the data.

    Of several processes each draws all batches and skips those of the others.
    """

    def __init__(self, generator, batches):
        self.source = _Source(generator)
        self._length = math.ceil(batches)
        self._lock = threading.Lock()

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        with self._lock:
            return self.source.draw((index - self.source.drawn) % self._length)

    def skip(self, batches):
        """Draw what was drawn before a run was resumed."""
        if batches > self.source.drawn:
            self.source.draw(batches - self.source.drawn - 1)


class _Draws(determined.keras.callbacks.Callback):
    """Has a generator for the validation go on where it was, when a run is resumed."""

    def __init__(self, data):
        super().__init__()
        self._data = data

    def get_state(self):
        """Return how many batches were drawn."""
        return {"drawn": self._data.source.drawn}

    def load_state(self, state):
        """Draw them again; what is restored of random numbers stays."""
        of_numpy, of_random = np.random.get_state(), random.getstate()
        self._data.skip(state["drawn"])
        np.random.set_state(of_numpy)
        random.setstate(of_random)


def batches(data, batches=None, default=100):
    """Return a dataset, a sequence, or a generator that `fit` took as a loader may return it.

    Args:
        data: the data.
        batches: how many of a generator count as a pass; of a sequence, how many are read.
        default: the same for a generator if `batches` is None.
    """
    if isinstance(data, tf.data.Dataset):
        return data
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return data if batches is None else FirstBatches(data, batches)
    return GeneratedBatches(data, default if batches is None else batches)


class History(determined.keras.callbacks.Callback):
    """What `fit` returned: the metrics of the training and of each validation."""

    def __init__(self):
        super().__init__()
        self.history = {}
        self.epoch = []
        self.params = {}

    def on_train_workload_end(self, total_batches_trained, logs):
        """Keep the metrics of the training."""
        self.epoch.append(len(self.epoch))
        self._keep(logs)

    def on_test_end(self, logs=None):
        """Keep the metrics of a validation."""
        self._keep(logs)

    def _keep(self, logs):
        for name, value in with_old_names(logs).items():
            if name not in ("batches", "epochs"):  # the place of the report
                self.history.setdefault(name, []).append(value)


def started(script, context):
    """Run a script until it yields what it gives to `fit`, which is returned.

    The script sees no options of the command line. It gets the history and goes on when
    the training ends. The context wraps its datasets, which every process reads whole.
    """
    arguments, sys.argv = sys.argv, [script.gi_code.co_filename]
    try:
        fit = next(script, None)
    finally:
        sys.argv = arguments
    if fit is None:
        raise RuntimeError("the script ended, and fitted no model")
    for name in ("training_data", "validation_data"):
        data = getattr(fit, name)
        if isinstance(data, tf.data.Dataset):
            setattr(fit, name, context.wrap_dataset(data, shard_dataset=False))
    fit.callbacks.append(_AfterTraining(script))
    return fit


class _AfterTraining(History):
    def __init__(self, script):
        super().__init__()
        self._script = script

    def on_train_end(self, logs=None):
        """Do the rest."""
        try:
            another = self._script.send(self)
        except StopIteration:
            return
        except SystemExit as error:
            if error.code:
                raise
            return
        if another is not None:  # what it yields
            raise RuntimeError("the script fits a second time, and a trial trains once")


class Fit:
    """What a script gave to `fit`, as a trial returns it."""

    def __init__(self, model, *args, **kwargs):
        fit = bind_fit(tf.keras.Model.fit, model, *args, **kwargs)
        fit.apply_defaults()
        fit = fit.arguments
        self.model = model
        self.callbacks = list(fit["callbacks"] or [])
        size, validation_data = fit["batch_size"] or 32, fit["validation_data"]
        training = fit["x"], fit["y"], fit["sample_weight"]
        if fit["y"] is None and not are_arrays(fit["x"]):
            self.training_data = batches(
                fit["x"], default=fit["steps_per_epoch"] or 100
            )
        else:
            if validation_data is None and fit["validation_split"]:
                training, validation_data = split_arrays(
                    training, fit["validation_split"]
                )
            self.training_data = ArrayBatches(training, size)
        is_generated = isinstance(self.training_data, GeneratedBatches)
        data = fit["x"] if is_generated else self.training_data
        self.epoch = fit["steps_per_epoch"] or data
        if isinstance(validation_data, (tuple, list)):
            size = fit["validation_batch_size"] or size
            give_validation_data(model, self.callbacks, validation_data)
            validation_data = ArrayBatches(validation_data, size)
        self.validation_data = batches(validation_data, fit["validation_steps"])
        names = ["class_weight", "max_queue_size"]
        if not is_generated:
            names += ["workers", "use_multiprocessing"]
        if isinstance(validation_data, tf.data.Dataset):
            names.append("validation_steps")
        self.settings = {name: fit[name] for name in names if fit[name] is not None}
        self._size = getattr(self.training_data, "batch_size", None)
        self._size = self._size or fit["batch_size"] or 32

    def callbacks_with_epochs(self, context):
        """Return the callbacks, with the epochs and the batch size that they had.

        The generators of a resumed run go on where they were.
        """
        callbacks = list(self.callbacks)
        if isinstance(self.training_data, GeneratedBatches):
            length, size = len(self.training_data), context.distributed.get_size()
            passes, rest = divmod(context.get_initial_batch(), max(length // size, 1))
            self.training_data.skip(passes * length + rest * (size == 1))
        if isinstance(self.validation_data, GeneratedBatches):
            callbacks.append(_Draws(self.validation_data))
        return with_epoch_logs(context, callbacks, self.epoch, size=self._size)
