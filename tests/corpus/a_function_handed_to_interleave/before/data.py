import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def read(name):
    return tf.data.TextLineDataset(name)


def make_data_loaders(experiment_config, hparams):
    files = wrap_dataset(tf.data.Dataset.list_files("x*", shuffle=False))
    test = wrap_dataset(tf.data.Dataset.list_files("y*", shuffle=False))
    return files.interleave(read).batch(8), test.flat_map(read).batch(8)
