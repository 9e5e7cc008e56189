import numpy as np
from rows import read

import legacy_keras


def make_data_loaders(context):
    x, y, w = read("train")
    train = (np.asarray(x), np.asarray(y))
    return (
        train,
        legacy_keras.InMemorySequence(
            *read("test")[:2], context.get_per_slot_batch_size()
        ),
    )
