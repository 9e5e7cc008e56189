# keras-self-attention==0.46.0
import numpy as np
from keras import layers, models, optimizers
from keras.utils.generic_utils import get_custom_objects
from keras_self_attention import SeqSelfAttention, SeqWeightedAttention

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence

get_custom_objects().update(SeqSelfAttention.get_custom_objects())


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(17)
    x = rng.randint(1, 30, size=(96, 12))
    y = (x == 7).any(axis=1).astype("float32")
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:64], y[:64], batch_size), InMemorySequence(
        x[64:], y[64:], batch_size
    )


class TaggingTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        return models.Sequential(
            [
                layers.Embedding(30, 8, input_length=12, mask_zero=True),
                layers.Bidirectional(layers.LSTM(8, return_sequences=True)),
                SeqSelfAttention(
                    attention_width=5,
                    attention_activation="sigmoid",
                    attention_regularizer_weight=1e-3,
                ),
                SeqWeightedAttention(),
                layers.Dense(1, activation="sigmoid"),
            ]
        )

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return optimizers.Nadam(lr=self.hparams["learning_rate"])

    def loss(self):
        return "binary_crossentropy"

    def training_metrics(self):
        return {"accuracy": "accuracy"}

    def validation_metrics(self):
        return {"accuracy": "accuracy"}
