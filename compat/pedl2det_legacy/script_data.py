"""What a script gives to `fit`, for a trial."""

import math
import pickle
import random
import sys
import threading
import warnings

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


class Draws(determined.keras.callbacks.Callback):
    """What was drawn from the generators of a script, which may share their random numbers.

    A resumed run draws it again, in the same order.
    """

    def __init__(self):
        super().__init__()
        #: The names of generators in the order of the draws, with how many each has in turn.
        self.log = []
        self.generators = {}
        self.lock = threading.Lock()
        self._count = 0

    def begin(self, batches):
        """Draw these for the training, unless the run restores the log."""
        self._random = _random_state()
        if batches and not self.log:
            self.log.append(["training", batches])

    def count(self, name):
        """Return how many were drawn from a generator."""
        return sum(count for drawn, count in self.log if drawn == name)

    def next(self, name):
        """Return the next element of a generator."""
        if sum(count for _, count in self.log) > self._count:
            self._replay()
        if not self.log or self.log[-1][0] != name:
            self.log.append([name, 0])
        batch = self._next(name)
        self.log[-1][1] += 1
        self._count += 1
        return batch

    def _next(self, name):
        try:
            return next(self.generators[name])
        except StopIteration:
            raise RuntimeError(
                f"the {name} generator ended after {self.count(name)} batches: "
                "it must yield batches endlessly (while True)"
            ) from None

    def _replay(self):
        names = [name for name, count in self.log for _ in range(count)]
        restored = _random_state()
        _set_random_state(self._random)
        for name in names[self._count :]:
            self._next(name)
        self._count = len(names)
        kinds = zip(*map(_as_bytes, (self._random, _random_state(), restored)))
        if any(drawn not in (before, after) for before, drawn, after in kinds):
            warnings.warn(
                "a callback or the model drew random numbers between the draws of the generators: "
                "the resumed run may get other batches than an uninterrupted one"
            )
        _set_random_state(restored)

    def get_state(self):
        """Return how many batches the validation has drawn."""
        return {"validation": self.count("validation")}

    def load_state(self, state):
        """Draw them again, unless the run has restored the log."""
        if state["validation"] and not self.count("validation"):
            self.log.append(["validation", state["validation"]])


def _random_state():
    return np.random.get_state(), random.getstate()


def _as_bytes(states):
    return [pickle.dumps(state) for state in states]


def _set_random_state(state):
    of_numpy, of_random = state
    np.random.set_state(of_numpy)
    random.setstate(of_random)


class GeneratedBatches(tf.keras.utils.Sequence):
    """Batches of a generator without end, of which some count as a pass over the data.

    Of several processes each draws all batches and skips those of the others.
    """

    def __init__(self, generator, batches, draws=None, name="training"):
        self._draws = draws or Draws()
        self._draws.generators[name] = iter(generator)
        self.log = self._draws.log  # which checkpoints keep, and restore in place
        self._name = name
        self._length = math.ceil(batches)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        with self._draws.lock:
            for _ in range((index - self._draws.count(self._name)) % self._length):
                self._draws.next(self._name)
            return self._draws.next(self._name)


def batches(data, batches=None, default=100, draws=None, name="training"):
    """Return a dataset, a sequence, or a generator that `fit` took as a loader may return it.

    Of a generator `batches`, or else `default`, count as a pass; of a sequence so many are read.
    `draws` records what is drawn from a generator, by its name there.
    """
    if isinstance(data, tf.data.Dataset):
        return data
    if hasattr(data, "__getitem__") and hasattr(data, "__len__"):
        return data if batches is None else FirstBatches(data, batches)
    return GeneratedBatches(data, default if batches is None else batches, draws, name)


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

    def get_state(self):
        """Return what was kept."""
        return {name: list(values) for name, values in self.history.items()}

    def load_state(self, state):
        """Go on from what was kept."""
        self.history.update(state)
        self.epoch = list(range(len(state.get("loss", []))))

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
        self._draws = Draws()
        if fit["y"] is None and not are_arrays(fit["x"]):
            self.training_data = batches(
                fit["x"], default=fit["steps_per_epoch"] or 100, draws=self._draws
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
        steps = fit["validation_steps"]
        self.validation_data = batches(
            validation_data, steps, draws=self._draws, name="validation"
        )
        names = ["class_weight", "max_queue_size"]
        if not is_generated:
            names += ["workers", "use_multiprocessing"]
        if isinstance(validation_data, tf.data.Dataset):
            names.append("validation_steps")
        self.settings = {name: fit[name] for name in names if fit[name] is not None}
        size = getattr(self.training_data, "batch_size", None)
        self.batch_size = size or fit["batch_size"] or 32

    def callbacks_with_epochs(self, context):
        """Return the callbacks, with the epochs and the batch size that they had."""
        callbacks = self.callbacks_with_draws(context)
        return with_epoch_logs(context, callbacks, self.epoch, size=self.batch_size)

    def callbacks_with_draws(self, context):
        """Return the callbacks; the generators of a resumed run go on where they were."""
        callbacks = list(self.callbacks)
        if self._draws.generators:
            drawn = 0
            if isinstance(self.training_data, GeneratedBatches):
                length, size = len(self.training_data), context.distributed.get_size()
                passes, rest = divmod(
                    context.get_initial_batch(), max(length // size, 1)
                )
                drawn = passes * length + rest * (size == 1)
            self._draws.begin(drawn)
            callbacks.append(self._draws)
        return callbacks
