"""Rides per hour, with preprocessing layers inside of the model and a small transformer over the last day."""
from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

import determined as det
from determined.keras import TFKerasTrial, TFKerasTrialContext, callbacks

import rides

AUTOTUNE = tf.data.AUTOTUNE

if os.environ.get("MIXED", "no") == "yes":
    keras.mixed_precision.set_global_policy("mixed_float16")


def pinball(tau: float, y_true, y_pred):
    e = y_true - y_pred
    return tf.reduce_mean(tf.maximum(tau * e, (tau - 1) * e), axis=-1)


def coverage(y_true, y_pred):
    inside = tf.logical_and(y_true >= y_pred[:, :1], y_true <= y_pred[:, -1:])
    return tf.reduce_mean(tf.cast(inside, tf.float32), axis=-1)


class QuantileLoss(keras.losses.Loss):
    def __init__(self, taus, crossing_penalty=0.0, name="quantile_loss"):
        super().__init__(name=name)
        self.parts = [partial(pinball, tau) for tau in taus]
        self.crossing_penalty = crossing_penalty

    def call(self, y_true, y_pred):
        y_true = tf.cast(tf.reshape(y_true, (-1, 1)), y_pred.dtype)
        losses = [part(y_true, y_pred[:, i : i + 1]) for i, part in enumerate(self.parts)]
        crossing = tf.reduce_sum(tf.nn.relu(y_pred[:, :-1] - y_pred[:, 1:]), axis=-1)
        return tf.add_n(losses) + self.crossing_penalty * crossing


class EncoderBlock(layers.Layer):
    def __init__(self, dim, heads, rate, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(heads, dim // heads, dropout=rate)
        self.mlp = keras.Sequential([layers.Dense(2 * dim, activation="gelu"), layers.Dense(dim), layers.Dropout(rate)])
        self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]

    def call(self, x, training=None):
        y = self.norms[0](x)
        x = x + self.attention(y, y, training=training)
        return x + self.mlp(self.norms[1](x), training=training)


class Positions(layers.Layer):
    def build(self, shape):
        self.table = self.add_weight("table", shape=shape[1:], initializer=keras.initializers.RandomNormal(stddev=0.02))

    def call(self, x):
        return x + self.table


class RidesTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.hp = dict(context.get_hparams())
        self.data_config = context.get_data_config()
        self.taus = sorted(self.hp.get("quantiles", [0.1, 0.5, 0.9]))
        if context.distributed.get_rank() == 0:
            for key, value in sorted(self.hp.items()):
                print(f"{key:>24} {value}")

    def arrays(self, split: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
        return rides.windows(rides.hours(self.data_config[f"{split}_days"], rides.SEEDS[split]))

    def dataset(self, split: str) -> tf.data.Dataset:
        ds = self.context.wrap_dataset(tf.data.Dataset.from_tensor_slices(self.arrays(split)))
        if split == "train":
            ds = ds.shuffle(self.data_config.get("shuffle", 4096), seed=self.context.get_trial_seed())
        return ds.batch(self.context.get_per_slot_batch_size()).prefetch(AUTOTUNE)

    build_training_data_loader = lambda self: self.dataset("train")  # noqa: E731
    build_validation_data_loader = lambda self: self.dataset("valid")  # noqa: E731

    def preprocessing(self, inputs: dict[str, Any]) -> dict[str, Any]:
        x, _ = self.arrays("train")
        normalize = layers.Normalization(axis=-1)
        normalize.adapt(x["history"])
        weather = layers.StringLookup(vocabulary=rides.WEATHER, num_oov_indices=1)
        onehot = layers.CategoryEncoding(len(rides.WEATHER) + 1, output_mode="one_hot")
        hour = layers.Discretization(bin_boundaries=[6, 10, 15, 19])
        return {
            "history": normalize(inputs["history"]),
            "weather": onehot(weather(inputs["weather"])),
            "hour": layers.Embedding(5, 4)(hour(inputs["hour"])),
        }

    def build_model(self) -> keras.Model:
        dim = self.hp["dim"]
        inputs = {
            "history": keras.Input((rides.WINDOW, 3), name="history"),
            "weather": keras.Input((1,), dtype=tf.string, name="weather"),
            "hour": keras.Input((1,), name="hour"),
        }
        ready = self.preprocessing(inputs)
        x = layers.Dense(dim)(ready["history"])
        x = Positions()(x)
        for i in range(self.hp["blocks"]):
            x = EncoderBlock(dim, self.hp["heads"], self.hp["dropout"], name=f"encoder_{i}")(x)
        x = layers.Concatenate()([layers.GlobalAveragePooling1D()(x), ready["weather"], layers.Flatten()(ready["hour"])])
        x = layers.Dense(dim, activation="swish")(x)
        quantiles = layers.Dense(len(self.taus), dtype="float32", name="quantiles")(x)

        model = self.context.wrap_model(keras.Model(inputs, quantiles))
        batches = self.hp["decay_epochs"] * self.context.get_experiment_config()["records_per_epoch"]
        batches //= self.context.get_global_batch_size()
        optimizer = keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(self.hp["lr"], max(batches, 1), alpha=0.05))
        model.compile(
            optimizer=self.context.wrap_optimizer(optimizer),
            loss=QuantileLoss(self.taus, self.hp["crossing_penalty"]),
            metrics=[coverage],
        )
        return model

    def keras_callbacks(self) -> list[keras.callbacks.Callback]:
        return [
            callbacks.EarlyStopping(monitor="val_loss", patience=5, mode="min"),
            callbacks.TensorBoard(update_freq=10, profile_batch=0),
        ]
