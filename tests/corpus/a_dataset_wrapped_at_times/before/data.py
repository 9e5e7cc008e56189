import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def make_data_loaders(experiment_config, hparams):
    made = tf.data.Dataset.range(64)
    train = wrap_dataset(made) if hparams["units"] else made
    return train.batch(8), wrap_dataset(tf.data.Dataset.range(8))
