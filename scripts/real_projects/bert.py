# keras-bert==0.81.0 keras-transformer==0.33.0 keras-pos-embd==0.12.0 keras-multi-head==0.28.0 keras-layer-normalization==0.15.0 keras-position-wise-feed-forward==0.7.0 keras-embed-sim==0.9.0 keras-self-attention==0.46.0
import keras
import numpy as np
from keras_bert import Tokenizer, get_model
from keras.utils import Sequence
from keras_bert.layers import Extract

from pedl.frameworks.keras import KerasTrial

WORDS = "the film was good bad long short never always not and but".split()
TOKENS = ["", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + WORDS
LENGTH = 10


class Columns(Sequence):
    def __init__(self, x, y, rows, batch_size):
        self.x, self.y, self.batch_size = [one[rows] for one in x], y[rows], batch_size

    def __len__(self):
        return len(self.y) // self.batch_size

    def __getitem__(self, index):
        rows = slice(index * self.batch_size, (index + 1) * self.batch_size)
        return [one[rows] for one in self.x], self.y[rows]


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(13)
    tokenizer = Tokenizer({token: index for index, token in enumerate(TOKENS)})
    reviews = [" ".join(rng.choice(WORDS, 6)) for _ in range(96)]
    tokens, segments = zip(*(tokenizer.encode(one, max_len=LENGTH) for one in reviews))
    y = np.array([float("good" in one) for one in reviews])
    x = [np.array(tokens), np.array(segments)]
    batch_size = hparams["batch_size"]
    return Columns(x, y, slice(64), batch_size), Columns(x, y, slice(64, 96), batch_size)


class ReviewTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        inputs, output = get_model(
            token_num=len(TOKENS),
            pos_num=LENGTH,
            seq_len=LENGTH,
            embed_dim=16,
            transformer_num=2,
            head_num=2,
            feed_forward_dim=32,
            dropout_rate=0.1,
            training=False,
            trainable=True,
        )
        first = Extract(index=0)(output)
        return keras.models.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(first))

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return keras.optimizers.Adam(self.hparams["learning_rate"])

    def loss(self):
        return "binary_crossentropy"

    def training_metrics(self):
        return {"accuracy": "accuracy"}

    def validation_metrics(self):
        return {"accuracy": "accuracy"}
