import numpy as np
from rows import read


def make_data_loaders():
    x, y = read("train")
    return [
        (np.asarray(x), np.asarray(y)),
        (np.asarray(x), np.asarray(y)),
    ]
