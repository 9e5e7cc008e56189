import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset

TRAIN = wrap_dataset(tf.data.Dataset.range(64))


def make_data_loaders(experiment_config, hparams):
    return TRAIN.batch(8), TRAIN.batch(4)
