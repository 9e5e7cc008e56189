import determined.keras
import numpy as np
import tensorflow as tf


def with_epoch_logs(context, callbacks, data=None):
    """Give callbacks the epochs of PEDL, which end with the training metrics.

    Determined calls `on_epoch_end` with empty logs. An epoch is one pass over the training
    data, the number of batches that `data` is, or else `records_per_epoch` of the config.
    """
    if data is None:
        records = context.get_experiment_config().get("records_per_epoch", 0)
        length = records // context.get_global_batch_size()
    else:
        length = data if isinstance(data, int) else batches_in_epoch(context, data)
    if length < 1:
        raise ValueError("an epoch must be one batch or more: set records_per_epoch")
    epochs = _Epochs(context, length)
    for callback in callbacks:
        if not isinstance(callback, determined.keras.callbacks.Callback):
            epochs.adopt(callback)
    return [epochs, *callbacks, _EpochEnd(epochs)]


def batches_in_epoch(context, data):
    """Return the batches of one pass over training data; of a dataset, of one step of PEDL."""
    if isinstance(data, tf.data.Dataset):
        return context.get_experiment_config().get("scheduling_unit", 100)
    if isinstance(data, tuple):
        records = len(tf.nest.flatten(data[0])[0])
        batches = -(-records // context.get_per_slot_batch_size())
    else:
        batches = len(data)
    return batches // context.distributed.get_size()


class _Epochs(tf.keras.callbacks.Callback):
    """Counts epochs and calls the epoch hooks of the callbacks that it adopted.

    It is the first callback, so it has the logs before another one changes them.
    """

    def __init__(self, context, batches_per_epoch):
        super().__init__()
        self._context = context
        self._length = batches_per_epoch
        self._batches = context.get_initial_batch()
        self._metrics = {}
        self._logs = {}
        self._index = 0
        self._begin_hooks = []
        self._end_hooks = []

    def adopt(self, callback):
        """Call the epoch hooks of a callback from here, and not from Determined."""
        begin, end = callback.on_epoch_begin, callback.on_epoch_end
        train_begin = callback.on_train_begin

        def on_train_begin(logs=None):  # not called for a callback that is left out
            self._begin_hooks.append(begin)
            self._end_hooks.append(end)
            train_begin(logs)

        def nothing(epoch, logs=None):
            pass

        callback.on_train_begin = on_train_begin
        callback.on_epoch_begin = callback.on_epoch_end = nothing
        callback._skip_epoch_end_check = True
        for hook in ("on_train_batch_begin", "on_batch_begin"):
            self._replace(callback, hook, lambda batch, logs: (self._index, logs))
        for hook in ("on_train_batch_end", "on_batch_end"):
            self._replace(callback, hook, lambda batch, logs: (self._index, self._logs))
        self._replace(
            callback,
            "on_test_batch_end",
            lambda batch, logs: (batch, _with_old_names(logs)),
        )

    def on_train_batch_begin(self, batch, logs=None):
        """Begin an epoch, if this is its first batch."""
        self._index = self._batches % self._length
        if self._index == 0:
            for begin in self._begin_hooks:
                begin(self._batches // self._length, {})

    def on_train_batch_end(self, batch, logs=None):
        """Keep the metrics, by their names then and now."""
        self._batches += 1
        self._metrics = _numbers(logs)
        self._logs = _with_old_names(self._metrics)

    def end_epoch(self):
        """End an epoch, if this was its last batch."""
        if self._batches % self._length:
            return
        logs = _with_old_names(self._mean(self._metrics))
        for end in self._end_hooks:
            end(self._batches // self._length - 1, logs)
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

    @staticmethod
    def _replace(callback, hook, arguments):
        """Call a hook with other arguments, if the callback has the hook."""
        original = getattr(callback, hook)
        of_keras = getattr(tf.keras.callbacks.Callback, hook)
        if hook not in vars(callback) and getattr(type(callback), hook) is of_keras:
            return

        def replaced(batch, logs=None):
            original(*arguments(batch, logs))

        setattr(callback, hook, replaced)


class _EpochEnd(tf.keras.callbacks.Callback):
    """Ends epochs; it is the last callback, so the others have seen the batch."""

    def __init__(self, epochs):
        super().__init__()
        self._epochs = epochs

    def on_train_batch_end(self, batch, logs=None):
        self._epochs.end_epoch()


_OLD_NAMES = (
    ("acc", "accuracy"),
    ("mae", "mean_absolute_error"),
    ("mse", "mean_squared_error"),
    ("mape", "mean_absolute_percentage_error"),
    ("msle", "mean_squared_logarithmic_error"),
    ("kld", "kullback_leibler_divergence", "kl_divergence"),
)
_OTHER_METRICS = (
    "binary_accuracy",
    "categorical_accuracy",
    "root_mean_squared_error",
)


def _numbers(logs):
    """Return the metrics that are single numbers."""
    arrays = {name: np.asarray(value) for name, value in (logs or {}).items()}
    return {
        name: float(value.item()) for name, value in arrays.items() if value.size == 1
    }


def _with_old_names(logs):
    """Return metrics by their names in TensorFlow 1 as well: `acc` is `accuracy`."""
    more = {}
    for name, value in (logs or {}).items():
        for words in _OLD_NAMES:
            for word in words:
                if name != word and not name.endswith("_" + word):
                    continue
                if not name.endswith(_OTHER_METRICS):
                    before = name[: -len(word)]
                    for other in words:
                        more.setdefault(before + other, value)
    return {**more, **(logs or {})}
