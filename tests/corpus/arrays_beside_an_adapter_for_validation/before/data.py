import numpy as np
from pedl.frameworks.keras import data
from rows import read


def make_data_loaders(experiment_config, hparams):
    x, y = read("train")
    v, w = read("test")
    return (
        data.InMemorySequence(data=x, labels=y, batch_size=hparams["batch_size"]),
        data.KerasDataAdapter(data.InMemorySequence(v, w, hparams["batch_size"]), workers=4),  # slow
    )
