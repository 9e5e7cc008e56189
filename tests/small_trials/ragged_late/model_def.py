import numpy as np
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.preprocessing.sequence import pad_sequences

class Texts(tf.keras.utils.Sequence):
    def __init__(self, n, seed, size):
        rng = np.random.RandomState(seed)
        # The file is sorted by length.
        self.texts = [list(rng.randint(1, 20, 6 if i < 16 * 30 else 3 + i % 4)) for i in range(n)]
        self.labels = np.array([float(t[0] > 9) for t in self.texts])
        self.size = size

    def __len__(self):
        return len(self.texts) // self.size

    def __getitem__(self, index):
        cut = slice(index * self.size, (index + 1) * self.size)
        texts = np.array(self.texts[cut])
        return pad_sequences(texts, maxlen=6), self.labels[cut]


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    return KerasDataAdapter(Texts(640, 1, size)), KerasDataAdapter(Texts(32, 2, size))


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Embedding(20, 4, input_length=6), layers.Flatten(), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), loss="mse")
        return model
