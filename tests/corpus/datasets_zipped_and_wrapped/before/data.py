import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def pair(x):
    return tf.data.Dataset.zip({"x": tf.data.Dataset.range(x), "y": tf.data.Dataset.range(x)})


def make_data_loaders(experiment_config, hparams):
    train = pair(64)
    train = wrap_dataset(train).batch(8)
    return train, wrap_dataset(pair(16)).batch(8)
