"""
Count bacterial colonies by regressing a density map. The integral of the map is the count.

Determined 0.12; `det experiment create const.yaml .`
"""
from typing import Any, List

import tensorflow as tf
from determined import keras
from tensorflow.keras import backend as K

from dishes import SCALE, SIZE, DishSequence
from nets import NETS, NetConfig


def count(density):
    return K.sum(density, axis=[1, 2, 3]) / SCALE


def count_mae(y_true, y_pred):
    return K.mean(K.abs(count(y_true) - count(y_pred)))


def count_bias(y_true, y_pred):
    return K.mean(count(y_pred) - count(y_true))


OPTIMIZERS = {
    "adam": tf.train.AdamOptimizer,
    "rmsprop": lambda lr: tf.train.RMSPropOptimizer(lr, decay=0.95, momentum=0.5),
    "momentum": lambda lr: tf.train.MomentumOptimizer(lr, momentum=0.9, use_nesterov=True),
}


class BatchTimer(tf.keras.callbacks.Callback):
    """Prints the loss every `every` batches, a poor man's progress bar."""

    def __init__(self, every: int):
        self.every = every
        self.total = 0

    def set_model(self, model):
        super().set_model(model)
        tf.logging.info("%d layers", len(model.layers))

    def on_train_batch_end(self, batch, logs=None):
        self.total += 1
        if not self.total % self.every:
            print("batch {}: loss {loss:.4f}".format(self.total, **logs))


class CountTrial(keras.TFKerasTrial):
    def __init__(self, trial_context: keras.TFKerasTrialContext):
        self.context = trial_context
        self.hp = trial_context.get_hparams()
        # NetConfig takes what it knows
        known = {k: v for k, v in self.hp.items() if k in NetConfig._fields}
        self.net_config = NetConfig(size=SIZE, **known)

    @property
    def data(self):
        return self.context.get_data_config()

    def loss(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        pixel = K.mean(K.square(y_true - y_pred), axis=[1, 2, 3])
        return pixel + self.hp["count_weight"] * K.square(count(y_true) - count(y_pred))

    def session_config(self) -> tf.ConfigProto:
        threads = self.data.get("threads", 2)
        return tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)

    def build_model(self) -> tf.keras.Model:
        model = NETS[self.hp["architecture"]](self.net_config)
        model = self.context.wrap_model(model)
        optimizer = OPTIMIZERS[self.hp["optimizer"]](self.hp["learning_rate"])
        model.compile(optimizer=optimizer, loss=self.loss, metrics=[count_mae, count_bias])
        return model

    def build_training_data_loader(self) -> keras.KerasDataAdapter:
        seq = DishSequence(self.data["n_train"], self.context.get_per_slot_batch_size(), self.hp["sigma"], seed=10, augment=True)
        return keras.KerasDataAdapter(seq, workers=self.data.get("workers", 1), use_multiprocessing=False)

    def build_validation_data_loader(self) -> Any:
        return DishSequence(self.data["n_valid"], self.context.get_per_slot_batch_size(), self.hp["sigma"], seed=20)

    def keras_callbacks(self) -> List[tf.keras.callbacks.Callback]:
        callbacks = [BatchTimer(every=5)]
        if self.context.get_rank() == 0:
            callbacks.append(keras.TFKerasTensorBoard(update_freq="batch", profile_batch=0, histogram_freq=1))
        return callbacks
