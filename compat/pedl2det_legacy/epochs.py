"""Epochs of PEDL, for callbacks."""

import math
import numbers
import re
import sys

import determined.keras
import numpy as np
import tensorflow as tf

from pedl2det_legacy.epoch_metrics import add_batch, epoch_means, metric_sums
from pedl2det_legacy.keras_trials import metrics_from
from pedl2det_legacy.metric_names import with_old_names


def with_epoch_logs(context, callbacks, data=None, trial=None, size=None):
    """Give callbacks the epochs of PEDL, which end with the training metrics.

    Determined calls `on_epoch_end` with empty logs. An epoch is one pass over the training
    data, the number of batches that `data` is, or else `records_per_epoch` of the config.
    Of the metrics of a KerasTrial, callbacks get those of its training, by its own names.
    The size of a batch in logs is that of the context, unless it is given.
    """
    size_of_context = context.get_per_slot_batch_size
    if data is None:
        records = context.get_experiment_config().get("records_per_epoch", 0)
        length = records // context.get_global_batch_size()
    elif isinstance(data, numbers.Real):
        length = math.ceil(data)
    else:
        is_sized = hasattr(type(trial), "batch_size")
        own = trial.batch_size() if is_sized else size_of_context()
        length = batches_in_epoch(context, data, own)
    if length < 1:
        raise ValueError("an epoch must be one batch or more: set records_per_epoch")
    metrics = getattr(trial, "__dict__", {}).get("_training_metrics")  # made once
    if metrics is None and trial is not None:
        metrics = metrics_from(trial, "training_metrics")
    epochs = _Epochs(context, length, metrics, size or size_of_context())
    told = [
        one if _is_of_determined(one) else _Adopted(one, epochs)
        for one in _as_before(callbacks)
    ]
    return [epochs, *told, _EpochEnd(epochs)]


def _is_of_determined(callback):
    """Return whether it has Determined's epochs; what derives from TensorBoard has PEDL's."""
    board = determined.keras.callbacks.TensorBoard
    is_derived = isinstance(callback, board) and type(callback) is not board
    return isinstance(callback, determined.keras.callbacks.Callback) and not is_derived


def _as_before(callbacks):
    """Return callbacks without the epochs that an inherited method gave them already."""
    given = [
        one for one in callbacks or () if not isinstance(one, (_Epochs, _EpochEnd))
    ]
    return [one._callback if type(one) is _Adopted else one for one in given]


def batches_in_epoch(context, data, size):
    """Return the batches of a pass over training data; of a dataset or generator, of a step."""
    if isinstance(data, tf.data.Dataset) or not hasattr(data, "__len__"):
        return context.get_experiment_config().get("scheduling_unit", 100)
    if isinstance(data, tuple) or hasattr(data, "get_batch"):
        is_tuple = isinstance(data, tuple)
        records = len(tf.nest.flatten(data[0])[0] if is_tuple else data)
        batches = -(-records // size)
    else:
        batches = len(data)
    return batches // context.distributed.get_size()


class _Adopted(tf.keras.callbacks.Callback):
    """Is in the list in place of a callback, whose hooks it calls with the epochs of PEDL.

    The callback itself stays as it is: a hook may be set later, on it or on its class, and
    may call another. Whatever else is asked of this one is asked of the callback.
    """

    _callback = _epochs = None
    _skip_epoch_end_check = True  # Determined's epochs are not for it

    def __init__(self, callback, epochs):
        self._callback, self._epochs = callback, epochs

    def __getattribute__(self, name):
        if name in vars(_Adopted):
            return super().__getattribute__(name)
        return getattr(self._callback, name)

    def set_params(self, params):
        """Give the parameters that `fit` had, in place of those of Determined."""
        self._callback.set_params(self._epochs.params)

    def on_train_begin(self, logs=None):
        """Take part in epochs; it is not called for a callback that is left out."""
        self._epochs.callbacks.append(self._callback)
        self._callback.on_train_begin(logs)

    def on_epoch_begin(self, epoch, logs=None):
        """Leave out an epoch of Determined."""

    def on_epoch_end(self, epoch, logs=None):
        """Leave out an epoch of Determined."""

    def on_train_batch_begin(self, batch, logs=None):
        """Give the number of the batch in its epoch, and its size."""
        logs = self._epochs.logs_for(self._callback)
        self._callback.on_train_batch_begin(self._epochs.index, logs)

    def on_train_batch_end(self, batch, logs=None):
        """Give the number of the batch in its epoch, and the metrics by all their names."""
        logs = self._epochs.logs_for(self._callback)
        self._callback.on_train_batch_end(self._epochs.index, logs)

    def on_test_batch_end(self, batch, logs=None):
        """Give the metrics by all their names."""
        self._callback.on_test_batch_end(batch, with_old_names(logs))

    def on_test_end(self, logs=None):
        """Give the metrics of a KerasTrial by its own names."""
        shares = getattr(self._callback, "_supports_tf_logs", False)
        if self._epochs.has_own_names and not shares:
            logs = {re.sub("^val_", "", name): value for name, value in logs.items()}
        self._callback.on_test_end(logs)


class _Epochs(tf.keras.callbacks.Callback):
    """Counts epochs, and calls the epoch hooks of the callbacks that take part.

    It is the first callback, so it has the logs before another one changes them.
    """

    def __init__(self, context, batches_per_epoch, names, size):
        super().__init__()
        self.callbacks = []
        self.index = 0
        self.logs = {}
        self._context = context
        self._length = batches_per_epoch
        self._size = size
        self._batches = context.get_initial_batch()
        self._names = names
        self.has_own_names = names is not None
        self._of_epoch = {}
        self._before_batch = {}
        self._last = {}

    def set_params(self, params):
        """Keep the parameters that `fit` had; its epochs have no end."""
        of_fit = {"epochs": sys.maxsize, "steps": self._length, "metrics": []}
        self.params = {**params, **of_fit, "samples": self._length}

    def logs_for(self, callback):
        """Return the logs of a batch, with its number and size as before TensorFlow 2.

        Two callbacks of Keras name files and values by what the logs have.
        """
        keras = tf.keras.callbacks
        is_of_today = isinstance(callback, (keras.ModelCheckpoint, keras.TensorBoard))
        return self.logs if is_of_today else self._logs_of_then

    def _set_logs(self, logs):
        self.logs = logs
        self._logs_of_then = {"batch": self.index, "size": self._size, **logs}

    def on_train_batch_begin(self, batch, logs=None):
        """Begin an epoch, if this is its first batch."""
        self.index = self._batches % self._length
        self._set_logs({})
        if self.index == 0:
            self._of_epoch = {}
            for callback in self.callbacks:
                callback.on_epoch_begin(self._batches // self._length, {})

    def begin_batch(self):
        """Keep the sums of the metrics, which a hook at the begin of a batch may have changed."""
        self._before_batch = metric_sums(self.model)

    def on_train_batch_end(self, batch, logs=None):
        """Keep the metrics, by their names then and now."""
        self._batches += 1
        self._last = _numbers(logs)
        after = metric_sums(self.model)
        of_batch = add_batch(self._of_epoch, self._before_batch, after)
        of_batch = _of_training({**self._last, **of_batch}, self._names)
        self._set_logs(with_old_names(of_batch))
        self.params["metrics"][:] = self.logs

    def end_epoch(self):
        """End an epoch, if this was its last batch."""
        if self._batches % self._length:
            return
        of_epoch = {**self._last, **epoch_means(self._of_epoch)}
        logs = with_old_names(self._mean(_of_training(of_epoch, self._names)))
        for callback in self.callbacks:
            callback.on_epoch_end(self._batches // self._length - 1, logs)
        if self.model.stop_training:  # after this workload; Keras would stop at once
            self.model.stop_training = False
            self._context.set_stop_requested(True)

    def _mean(self, metrics):
        """Average the metrics over all processes."""
        distributed = self._context.distributed
        if distributed.get_size() == 1:
            return metrics
        everybodys = distributed.allgather(metrics)
        return {
            name: float(np.mean([each[name] for each in everybodys], dtype=np.float64))
            for name in everybodys[0]
        }


class _EpochEnd(tf.keras.callbacks.Callback):
    """Begins batches and ends epochs; as the last callback, after the hooks of the others."""

    def __init__(self, epochs):
        super().__init__()
        self._epochs = epochs

    def on_train_batch_begin(self, batch, logs=None):
        self._epochs.begin_batch()

    def on_train_batch_end(self, batch, logs=None):
        self._epochs.end_epoch()


def _numbers(logs):
    """Return the metrics that are single numbers."""
    arrays = {name: np.asarray(value) for name, value in (logs or {}).items()}
    return {
        name: float(value.item()) for name, value in arrays.items() if value.size == 1
    }


def _of_training(logs, names):
    """Return the loss and the metrics of these names, which `named_metrics` may have changed."""
    if names is None:
        return logs
    changed = {name: f"training_{name}" for name in names}
    found = {name: new if new in logs else name for name, new in changed.items()}
    return {name: logs[one] for name, one in {"loss": "loss", **found}.items()}


def with_searched_metric(context, callbacks):
    """Return the callbacks of a trial, with one for the name of its `searcher.metric`."""
    metric = context.get_experiment_config().get("searcher", {}).get("metric", "")
    is_renamed = len(with_old_names({metric: 0})) > 1
    return [*callbacks, SearchedMetric(metric)] if is_renamed else callbacks


class SearchedMetric(tf.keras.callbacks.Callback):
    """Reports the metric of `searcher.metric` by the name that TensorFlow 1 gave it, too."""

    def __init__(self, metric):
        super().__init__()
        self._supports_tf_logs = True  # it gets the reported logs then, and no copy
        self._metric = metric

    def on_test_end(self, logs=None):
        """Add the metric to the logs, if it is one of them by another name."""
        names = with_old_names(logs)
        if self._metric in names:
            logs[self._metric] = names[self._metric]
