# kapre==0.1.4 (also: librosa)
import numpy as np
from kapre.augmentation import AdditiveNoise
from kapre.time_frequency import Melspectrogram
from kapre.utils import Normalization2D
from keras.layers import Conv2D, Dense, GlobalAveragePooling2D
from keras.models import Sequential
from keras.optimizers import Adam

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence

RATE = 4000


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(3)
    pitch = rng.randint(1, 4, size=96)
    time = np.arange(RATE // 2) / float(RATE)
    waves = np.sin(2 * np.pi * 200 * pitch[:, None] * time) + 0.1 * rng.randn(96, len(time))
    x, y = waves[:, None, :].astype("float32"), np.eye(3)[pitch - 1]
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class ToneTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        model = Sequential()
        model.add(
            Melspectrogram(
                n_dft=128,
                n_hop=64,
                input_shape=(1, RATE // 2),
                sr=RATE,
                n_mels=16,
                fmin=0.0,
                fmax=RATE / 2,
                power_melgram=1.0,
                return_decibel_melgram=True,
                trainable_kernel=True,
                name="melgram",
            )
        )
        model.add(AdditiveNoise(power=0.1))
        model.add(Normalization2D(str_axis="freq"))
        model.add(Conv2D(4, 3, 3, activation="relu"))
        model.add(GlobalAveragePooling2D())
        model.add(Dense(3, activation="softmax"))
        return model

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return Adam(lr=self.hparams["learning_rate"])

    def loss(self):
        return "categorical_crossentropy"

    def training_metrics(self):
        return {"accuracy": "categorical_accuracy"}

    def validation_metrics(self):
        return {"accuracy": "categorical_accuracy"}
