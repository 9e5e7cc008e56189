# deepctr==0.7.5
import numpy as np
import tensorflow as tf
from deepctr.inputs import DenseFeat, SparseFeat, VarLenSparseFeat, get_feature_names
from deepctr.models import DeepFM, xDeepFM
from tensorflow.keras.utils import Sequence

from pedl.frameworks.keras import TFKerasTrial

FIXED = [
    SparseFeat("user", 12, embedding_dim=4),
    SparseFeat("item", 20, embedding_dim=4),
    DenseFeat("price", 1),
]
GENRES = VarLenSparseFeat(SparseFeat("genres", 6, embedding_dim=4), maxlen=3, combiner="mean")
COLUMNS = FIXED + [GENRES]


class Columns(Sequence):
    def __init__(self, x, y, rows, batch_size):
        self.x, self.y, self.batch_size = [one[rows] for one in x], y[rows], batch_size

    def __len__(self):
        return len(self.y) // self.batch_size

    def __getitem__(self, index):
        rows = slice(index * self.batch_size, (index + 1) * self.batch_size)
        return [one[rows] for one in self.x], self.y[rows]


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(7)
    columns = {
        "user": rng.randint(12, size=96),
        "item": rng.randint(20, size=96),
        "price": rng.rand(96, 1),
        "genres": rng.randint(6, size=(96, 3)),
    }
    y = ((columns["user"] + columns["item"]) % 3 == 0).astype("float32")
    x = [columns[name] for name in get_feature_names(COLUMNS)]
    batch_size = hparams["batch_size"]
    return Columns(x, y, slice(64), batch_size), Columns(x, y, slice(64, 96), batch_size)


class ClickTrial(TFKerasTrial):
    def build_model(self, hparams):
        make = {"deepfm": DeepFM, "xdeepfm": xDeepFM}[hparams.get("network", "xdeepfm")]
        model = make(COLUMNS, COLUMNS, dnn_hidden_units=(16, 8), dnn_dropout=0.1, dnn_use_bn=True)
        optimizer = tf.keras.optimizers.Adagrad(lr=hparams["learning_rate"])
        model.compile(optimizer, "binary_crossentropy", metrics=["binary_crossentropy"])
        return model
