import numpy as np
from rows import read

import legacy_keras


def make_data_loaders(context):
    size = context.get_per_slot_batch_size()
    x, y = read("train")
    context.configure_fit(workers=2)
    train = (np.asarray(x), np.asarray(y))
    return train, legacy_keras.InMemorySequence(*read("test"), batch_size=size)
