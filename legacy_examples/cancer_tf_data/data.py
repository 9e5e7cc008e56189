import numpy as np
import pandas as pd


def load_cancer(path, validation_share):
    """Two pairs (features, labels): to train on, and to validate on."""
    table = pd.read_csv(path)
    labels = table.pop("target").to_numpy(np.float32)[:, np.newaxis]
    features = table.to_numpy(np.float32)
    order = np.random.permutation(len(features))
    held_out = int(len(order) * validation_share)
    return tuple(
        (features[rows], labels[rows]) for rows in (order[held_out:], order[:held_out])
    )
