from pedl.frameworks.keras.data import InMemorySequence
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y = read("train")
    return InMemorySequence(x, y, hparams["batch_size"], drop_leftovers=True), read("test")
