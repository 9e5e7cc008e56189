import numpy as np
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter
from rows import read


def loader(part, size):
    x, y = read(part)
    return InMemorySequence(x, y, batch_size=size)


def make_data_loaders(experiment_config, hparams):
    train = KerasDataAdapter(loader("train", hparams["batch_size"]), workers=2, use_multiprocessing=False)
    return train, loader("test", hparams["batch_size"])
