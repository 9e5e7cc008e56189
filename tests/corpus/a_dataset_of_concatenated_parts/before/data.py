import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def make_data_loaders(experiment_config, hparams):
    train = tf.data.TFRecordDataset("one")
    for part in ("two", "three"):
        train = train.concatenate(tf.data.TFRecordDataset(part))
    return wrap_dataset(train), wrap_dataset(tf.data.Dataset.range(8))
