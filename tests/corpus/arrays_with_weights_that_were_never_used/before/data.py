import numpy as np
from pedl.frameworks.keras.data import InMemorySequence
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y, w = read("train")
    train = InMemorySequence(x, y, hparams["batch_size"], sample_weight=w)
    return train, InMemorySequence(*read("test")[:2], hparams["batch_size"])
