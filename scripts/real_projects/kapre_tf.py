# kapre==0.2.0 (also: librosa)
import numpy as np
import tensorflow as tf
from kapre.time_frequency import Melspectrogram, Spectrogram
from kapre.utils import Normalization2D
from tensorflow.keras import layers

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence

RATE = 4000


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(3)
    pitch = rng.randint(1, 4, size=96)
    time = np.arange(RATE // 2) / float(RATE)
    waves = np.sin(2 * np.pi * 200 * pitch[:, None] * time) + 0.1 * rng.randn(96, len(time))
    x, y = waves[:, None, :].astype("float32"), pitch - 1
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class ToneTrial(TFKerasTrial):
    def build_model(self, hparams):
        wave = layers.Input((1, RATE // 2))
        sizes = {"n_dft": 128, "n_hop": 64, "padding": "same"}
        mel = Melspectrogram(sr=RATE, n_mels=16, return_decibel_melgram=True, **sizes)(wave)
        lines = Spectrogram(return_decibel_spectrogram=True, trainable_kernel=True, **sizes)(wave)
        both = layers.Concatenate(axis=1)([Normalization2D(str_axis="freq")(mel), lines])
        x = layers.Conv2D(4, 3, activation="relu")(both)
        x = layers.Dropout(0.2)(layers.GlobalAveragePooling2D()(x))
        model = tf.keras.Model(wave, layers.Dense(3, activation="softmax")(x))
        model.compile(
            tf.keras.optimizers.Adam(lr=hparams["learning_rate"]),
            "sparse_categorical_crossentropy",
            ["accuracy"],
        )
        return model
