import numpy as np
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    x, y = np.ones((64, 4)), np.ones((64, 1))
    data = InMemorySequence(x, y, hparams["batch_size"])
    return data, data
