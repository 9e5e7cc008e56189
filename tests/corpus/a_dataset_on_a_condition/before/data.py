import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def make_data_loaders(experiment_config, hparams):
    train = tf.data.Dataset.range(64)
    if experiment_config["data"].get("shuffled"):
        train = train.shuffle(64)
    train = wrap_dataset(train)
    test = tf.data.Dataset.range(16) if hparams["units"] else tf.data.Dataset.range(8)
    return train, wrap_dataset(test)
