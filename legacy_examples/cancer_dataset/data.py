import numpy as np
import pandas as pd
import tensorflow as tf

from pedl.frameworks.keras import wrap_dataset


def make_data_loaders(experiment_config, hparams):
    table = pd.read_csv(experiment_config["data"]["file"])
    labels = table.pop("target").to_numpy(np.float32)
    features = ((table - table.mean()) / table.std()).to_numpy(np.float32)
    order = np.random.permutation(len(features))
    held_out = len(order) // 4

    train = wrap_dataset(
        tf.data.Dataset.from_tensor_slices((features[order[held_out:]], labels[order[held_out:]]))
    )
    train = train.shuffle(500, seed=1).batch(hparams["batch_size"])
    test = wrap_dataset(
        tf.data.Dataset.from_tensor_slices((features[order[:held_out]], labels[order[:held_out]]))
    )
    return train, test.batch(hparams["batch_size"])
