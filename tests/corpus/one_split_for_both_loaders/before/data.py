import numpy as np
from rows import Rows


def make_data_loaders(experiment_config, hparams):
    order = np.random.permutation(100)
    return Rows(order[:80], hparams["batch_size"]), Rows(order[80:], hparams["batch_size"])
