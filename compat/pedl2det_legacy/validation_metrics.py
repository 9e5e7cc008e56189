"""Validations of a `KerasTrial` that computes their metrics itself."""

import determined.keras
import tensorflow as tf

from pedl2det_legacy.bound_context import context
from pedl2det_legacy.keras_trials import data_adapter


class ValidationMetrics(determined.keras.callbacks.Callback):
    """Reports what `compute_validation_metrics` of the trial returns, and nothing else."""

    def __init__(self, trial):
        super().__init__()
        self._supports_tf_logs = True  # it gets the reported logs then, and no copy
        self._trial = trial
        self._batches = context().get_initial_batch()

    def on_train_workload_end(self, total_batches_trained, logs):
        """Count: a trial may set the optimizer's own count back. Let Keras read alone."""
        self._batches = total_batches_trained
        if tf.executing_eagerly():  # the engine of graph mode has another function
            self.model.test_function = _read

    def on_test_end(self, logs=None):
        """Put the computed metrics into the logs."""
        self.model.test_function = None  # Keras makes it if the trial evaluates
        trial = self._trial
        trial.model = self.model
        if vars(trial).get("validation_data_adapter") is None:
            size = context().get_per_slot_batch_size()
            loader = trial.build_validation_data_loader()
            trial.validation_data_adapter = data_adapter(loader, size)
        unit = context().get_experiment_config().get("scheduling_unit", 100)
        computed = trial.compute_validation_metrics(self._batches // unit)
        logs.clear()
        logs.update(computed["validation_metrics"])


def _read(batches):
    next(batches)  # and no test of the model on it, which it need not fit
    return {"loss": 0.0}
