import numpy as np
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
from rows import read


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    x, y = read("train")
    train = KerasDataAdapter(InMemorySequence(x, y, size), workers=2)
    return train, InMemorySequence(*read("test"), batch_size=size)
