import numpy as np

from pedl.frameworks.keras.data import InMemorySequence

def rows(n, seed):
    rng = np.random.RandomState(seed)
    x = rng.normal(size=(n, 8)).astype("float32")
    y = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * rng.normal(size=(n, 1))).astype("float32")
    return x, y


def plain_loaders(experiment_config, hparams):
    x, y = rows(256, 1)
    vx, vy = rows(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(x, y, size), InMemorySequence(vx, vy, size)


def scaled_loaders(experiment_config, hparams):
    x, y = rows(256, 1)
    vx, vy = rows(64, 2)
    size = hparams["batch_size"]
    return InMemorySequence(x / 3, y, size), InMemorySequence(vx / 3, vy, size)
