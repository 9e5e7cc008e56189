import numpy as np


def make_data_loaders():
    x, y = np.ones((64, 4)), np.ones((64, 1))
    data = (np.asarray(x), np.asarray(y))
    return data, data
