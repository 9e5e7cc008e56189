"""Train a compiled model batch by batch, and record what it computes. Python 3.7."""

import json
import os

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.keras.callbacks import CallbackList

from tf1.old import recording
from tf1.old.batches import endless, one_pass

#: Precedes the names of the metrics of a ``KerasTrial`` in Keras.
ROLES = ("training_metric__", "validation_metric__")


class Training:
    """One training: the batches, then a validation.

    Args:
        task: what to train, see ``there.py``.
        model: a compiled model.
        callbacks: the trial's own.
        out: the directory of the record.
    """

    def __init__(self, task, model, callbacks, out):
        self._task, self._model, self._out = task, model, out
        is_standalone = isinstance(model, keras.models.Model)
        self._package = keras if is_standalone else tf.keras
        kind = keras.callbacks.CallbackList if is_standalone else CallbackList
        self._callbacks = kind(callbacks)
        self._callbacks.set_model(model)
        self._callbacks.set_params({})
        self._arrays = {}

    def run(self, training, validation, epoch=None, shuffle=False, class_weight=None, own=None):
        """Train, validate and write the record.

        Args:
            training: a Sequence of batches or a dataset.
            validation: the same, for the validation.
            epoch: batches in an epoch; None for one pass over a Sequence, or a step.
            shuffle: whether to shuffle the order of batches.
            class_weight: the weight of each class.
            own: the trial's ``compute_validation_metrics``.
        """
        seed = self._task["seed"]
        if epoch is None:
            is_dataset = isinstance(training, tf.data.Dataset)
            epoch = self._task["batches_per_step"] if is_dataset else len(training)
        self._keep("before", self._model.get_weights())
        recording.seed_host(seed)
        data = endless(training, seed if shuffle else None)
        self._callbacks.on_train_begin()
        record = {
            "batches": [
                self._batch(number, next(data), epoch, class_weight)
                for number in range(self._task["batches"])
            ],
            "names": recording.names_of(self._model),
        }
        self._keep("after", self._model.get_weights())
        recording.seed_host(seed)
        record["validation"] = own(1)["validation_metrics"] if own else self._validate(validation)
        self._write(record)

    def _batch(self, number, batch, epoch, class_weight):
        index = number % epoch if epoch else number
        if epoch and index == 0:
            self._callbacks.on_epoch_begin(number // epoch)
        self._callbacks.on_batch_begin(index)
        self._keep(f"batch{number}", tf.nest.flatten(batch))
        rate = recording.learning_rate(self._model, self._package.backend.get_value)
        weights = batch[2] if len(batch) > 2 else None
        values = self._model.train_on_batch(
            batch[0], batch[1], sample_weight=weights, class_weight=class_weight
        )
        metrics = self._named(values, ROLES[0])
        self._callbacks.on_batch_end(index, dict(metrics, batch=index))
        if epoch and index == epoch - 1:
            self._callbacks.on_epoch_end(number // epoch, metrics)
        return {"rate": rate, "metrics": metrics}

    def _validate(self, validation):
        """Return the means over all records; generators were averaged by batches."""
        batches = [tuple(batch) for batch in one_pass(validation)]
        x, y = tf.nest.map_structure(lambda *parts: np.concatenate(parts), *batches)[:2]
        size = len(tf.nest.flatten(batches[0])[0])
        return self._named(self._model.evaluate(x, y, batch_size=size, verbose=0), ROLES[1])

    def _named(self, values, role):
        """Return metrics by name; of a ``KerasTrial`` those of this role, and the loss."""
        named = dict(zip(self._model.metrics_names, map(float, np.atleast_1d(values))))
        if not any(other in name for name in named for other in ROLES):
            return named
        of_role = {name.split(role)[1]: named[name] for name in named if role in name}
        return dict(of_role, loss=named["loss"])

    def _keep(self, name, arrays):
        for number, array in enumerate(arrays):
            self._arrays[f"{name}_{number:03}"] = np.asarray(array)

    def _write(self, record):
        np.savez(os.path.join(self._out, "there.npz"), **self._arrays)
        with open(os.path.join(self._out, "there.json"), "w") as file:
            json.dump(record, file, default=float)
