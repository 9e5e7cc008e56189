"""Next radar frames from the last ones. ConvLSTM after Shi et al. 2015, on rain cells that drift and decay."""
import math

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import LearningRateScheduler
from tensorflow.keras.layers import (
    BatchNormalization,
    Conv3D,
    ConvLSTM2D,
    Input,
    Lambda,
    TimeDistributed,
    Conv2D,
)
from tensorflow.keras.models import Model

import pedl
from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial, wrap_dataset
from params import DATA, FRAMES_IN, FRAMES_OUT, HP, SIZE, TOTAL_BATCHES

tf.logging.set_verbosity(tf.logging.ERROR)


def movies(n, seed):
    def generate():
        rng = np.random.RandomState(seed)
        yy, xx = np.mgrid[:SIZE, :SIZE].astype(np.float32)
        for _ in range(n):
            cells = rng.uniform([0, 0, 1, 0.4], [SIZE, SIZE, 3, 1.0], size=(rng.randint(1, 4), 4))
            wind = rng.normal(0, 0.7, size=2)
            frames = np.zeros((FRAMES_IN + FRAMES_OUT, SIZE, SIZE, 1), dtype=np.float32)
            for t in range(len(frames)):
                for y, x, r, a in cells:
                    d2 = (yy - y - wind[0] * t) ** 2 + (xx - x - wind[1] * t) ** 2
                    frames[t, :, :, 0] += a * 0.95 ** t * np.exp(-d2 / (2 * r * r))
            yield frames[:FRAMES_IN], frames[FRAMES_IN:]

    return generate


def make_dataset(n, seed, training):
    shapes = (
        tf.TensorShape([FRAMES_IN, SIZE, SIZE, 1]),
        tf.TensorShape([FRAMES_OUT, SIZE, SIZE, 1]),
    )
    ds = tf.data.Dataset.from_generator(movies(n, seed), (tf.float32, tf.float32), shapes)
    ds = wrap_dataset(ds)
    ds = ds.cache()
    if training and DATA.get("flip", True):
        ds = ds.concatenate(ds.map(lambda a, b: (tf.reverse(a, axis=[2]), tf.reverse(b, axis=[2]))))
    ds = ds.batch(HP.batch_size, drop_remainder=training)
    return ds.prefetch(tf.data.experimental.AUTOTUNE)


def make_data_loaders(experiment_config, hparams):
    return make_dataset(DATA["n_train"], 1, True), make_dataset(DATA["n_valid"], 2, False)


def masked_mse(wet_weight):
    """Mostly it does not rain: weigh the wet pixels."""

    def loss(y_true, y_pred):
        weight = 1.0 + (wet_weight - 1.0) * tf.to_float(tf.greater(y_true, 0.1))
        return tf.reduce_mean(weight * tf.squared_difference(y_true, y_pred), axis=[1, 2, 3, 4])

    return loss


def log_cosh(_):
    return tf.keras.losses.logcosh


LOSSES = {f.__name__: f for f in [masked_mse, log_cosh]}


def csi(threshold):
    """Critical success index: hits / (hits + misses + false alarms)"""

    def metric(y_true, y_pred):
        t = tf.to_float(y_true > threshold)
        p = tf.to_float(y_pred > threshold)
        hits = tf.reduce_sum(t * p)
        return hits / (tf.reduce_sum(t) + tf.reduce_sum(p) - hits + K.epsilon())

    metric.__name__ = "csi_%02d" % int(threshold * 100)
    return metric


def one_cycle(peak, total, warmup):
    up = max(1, int(total * warmup))

    def lr_at(batch):
        if batch < up:
            return peak * (batch + 1) / up
        return peak * 0.5 * (1 + math.cos(math.pi * min(1.0, (batch - up) / (total - up))))

    return lr_at


class BatchLearningRate(tf.keras.callbacks.Callback):
    def __init__(self, schedule):
        super(BatchLearningRate, self).__init__()
        self.schedule = schedule
        self.seen = 0

    def on_batch_begin(self, batch, logs=None):
        K.set_value(self.model.optimizer.lr, self.schedule(self.seen))
        self.seen += 1


class NowcastTrial(TFKerasTrial):
    def session_config(self, hparams):
        config = tf.ConfigProto(allow_soft_placement=True)
        config.gpu_options.allow_growth = True
        return config

    def build_model(self, hparams):
        reg = tf.contrib.layers.l2_regularizer(HP.weight_decay) if HP.weight_decay else None
        x = frames = Input((FRAMES_IN, SIZE, SIZE, 1))
        for _ in range(HP.layers):
            x = ConvLSTM2D(HP.filters, HP.kernel, padding="same", return_sequences=True, kernel_regularizer=reg)(x)
            if HP.batch_norm:
                x = BatchNormalization()(x)
        x = Lambda(lambda t: t[:, -FRAMES_OUT:], name="last")(x)
        x = TimeDistributed(Conv2D(HP.filters, 1, activation="relu"))(x)
        x = Conv3D(1, (1, HP.kernel, HP.kernel), padding="same", activation="sigmoid")(x)
        model = Model(frames, x)
        model.compile(
            optimizer=tf.keras.optimizers.Adam(lr=HP.learning_rate),
            loss=LOSSES[HP.loss](HP.wet_weight),
            metrics=["mse"] + [csi(t) for t in DATA.get("thresholds", [0.2, 0.5])],
        )
        return model

    def keras_callbacks(self, hparams):
        schedule = one_cycle(HP.learning_rate, TOTAL_BATCHES, HP.warmup)
        return [BatchLearningRate(schedule), TFKerasTensorBoard(update_freq="batch", profile_batch=0, histogram_freq=0)]
