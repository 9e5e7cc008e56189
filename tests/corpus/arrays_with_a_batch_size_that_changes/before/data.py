import numpy as np
from pedl.frameworks.keras.data import InMemorySequence
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y = read("train")
    size = hparams["batch_size"]
    size = size // 2
    return InMemorySequence(x, y, size), InMemorySequence(x, y, hparams["batch_size"])
