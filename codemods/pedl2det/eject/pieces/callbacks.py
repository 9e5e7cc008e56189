import tensorflow as tf


class Callback(tf.keras.callbacks.Callback):
    """A Keras callback with events of workloads, which are the batches between reports."""

    def on_train_workload_begin(self, total_batches_trained, batches_requested, logs):
        """Called at the beginning of a workload."""

    def on_train_workload_end(self, total_batches_trained, logs):
        """Called at the end of a workload, with its metrics."""

    def on_checkpoint_end(self, checkpoint_dir):
        """Not called: Keras writes the checkpoints."""

    def get_state(self):
        """Not called: there is no state in checkpoints of Keras."""

    def load_state(self, state):
        """Not called: there is no state in checkpoints of Keras."""


class _ByValidation(Callback):
    """A callback of Keras that acts after each validation, not after each epoch."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._validations = 0

    def on_test_end(self, logs=None):
        super().on_epoch_end(self._validations, logs)
        self._validations += 1

    def on_epoch_end(self, epoch, logs=None):
        pass


class EarlyStopping(_ByValidation, tf.keras.callbacks.EarlyStopping):
    """``EarlyStopping`` of Keras, after each validation."""


class ReduceLROnPlateau(_ByValidation, tf.keras.callbacks.ReduceLROnPlateau):
    """``ReduceLROnPlateau`` of Keras, after each validation."""


class TensorBoard(tf.keras.callbacks.TensorBoard, Callback):
    """``TensorBoard`` of Keras, which writes after each workload to the trial's directory."""

    def __init__(self, *args, **kwargs):
        kwargs.pop("log_dir", None)
        super().__init__(str(_contexts[-1].get_tensorboard_path()), *args[1:], **kwargs)
        self._workload = 0

    def on_train_workload_begin(self, total_batches_trained, batches_requested, logs):
        super().on_epoch_begin(self._workload, logs)

    def on_train_workload_end(self, total_batches_trained, logs):
        super().on_epoch_end(self._workload, logs)
        self._workload += 1

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass


TFKerasTensorBoard = TensorBoard


class TrialCallbacks(tf.keras.callbacks.Callback):
    """Calls the callbacks of a trial, whose epochs are not those of ``fit``.

    For ``fit``, an epoch ends with a validation. For the trial, an epoch has ``epoch`` batches,
    and training metrics are means over a workload.

    Args:
        context: the context of the trial.
        callbacks: its callbacks.
        total: batches in the training.
        workload: the most batches in a workload.
        validate_every: batches between validations, at which a workload ends too; 0 for none.
        epoch: batches in an epoch of the trial; 0 if there are none.
    """

    def __init__(self, context, callbacks, total, workload, validate_every=0, epoch=0):
        super().__init__()
        self._context, self._callbacks = context, callbacks
        self._total, self._workload, self._epoch = total, workload, epoch
        self._validate_every = validate_every or total
        self._until = 0  # the batch at which the current workload ends
        self._is_stopping = False

    def on_train_begin(self, logs=None):
        params = dict.fromkeys(("epochs", "steps", "samples"))
        size = self._context.get_per_slot_batch_size()
        params.update(batch_size=size, verbose=False, do_validation=False, metrics=[])
        for callback in self._callbacks:
            callback.set_model(self.model)
            callback.set_params(params)
        self._call("on_train_begin", {})

    def on_train_batch_begin(self, batch, logs=None):
        batches = self._context.batches
        if self._epoch and batches % self._epoch == 0:
            self._call("on_epoch_begin", batches // self._epoch, {})
        if batches == self._until:
            self._until = self._next_stop(batches)
            self.model.reset_metrics()
            self._tell("on_train_workload_begin", batches, self._until - batches, {})
        self._call("on_train_batch_begin", self._in_epoch(batches), {})

    def on_train_batch_end(self, batch, logs=None):
        self._context.batches += 1
        batches = self._context.batches
        self._call("on_train_batch_end", self._in_epoch(batches - 1), dict(logs))
        if self._epoch and batches % self._epoch == 0:
            self._call("on_epoch_end", batches // self._epoch - 1, {})
        self._is_stopping |= self.model.stop_training
        if batches == self._until:
            epochs = batches // self._epoch if self._epoch else 0
            metrics = dict(logs, batches=batches, epochs=epochs)
            self._tell("on_train_workload_end", batches, metrics)
        # Keras would stop within a workload.
        is_over = batches == self._until and self._stops()
        self.model.stop_training = is_over or batches == self._total

    def on_test_begin(self, logs=None):
        self._call("on_test_begin", logs)

    def on_test_batch_begin(self, batch, logs=None):
        self._call("on_test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch, logs=None):
        self._call("on_test_batch_end", batch, dict(logs))

    def on_test_end(self, logs=None):
        for callback in self._callbacks:
            callback.on_test_end({"val_" + name: value for name, value in logs.items()})

    def on_epoch_end(self, epoch, logs=None):
        if self._stops():
            self.model.stop_training = True

    def on_train_end(self, logs=None):
        self._call("on_train_end", {})

    def _stops(self):
        return self._is_stopping or self._context.get_stop_requested()

    def _next_stop(self, batches):
        """Return where the workload that begins here ends."""
        validation = (batches // self._validate_every + 1) * self._validate_every
        return min(batches + self._workload, validation, self._total)

    def _in_epoch(self, batches):
        return batches % self._epoch if self._epoch else batches

    def _call(self, event, *args):
        for callback in self._callbacks:
            getattr(callback, event)(*args)

    def _tell(self, event, *args):
        for callback in self._callbacks:
            if isinstance(callback, Callback):
                getattr(callback, event)(*args)
