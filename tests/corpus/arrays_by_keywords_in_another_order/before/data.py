import numpy as np
from pedl.frameworks.keras.data import InMemorySequence
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y = read("train")
    return [
        InMemorySequence(labels=y, batch_size=hparams["batch_size"], data=x),
        InMemorySequence(x, labels=y, batch_size=hparams["batch_size"]),
    ]
