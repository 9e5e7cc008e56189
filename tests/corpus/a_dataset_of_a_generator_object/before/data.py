import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


class Data:
    def __init__(self, part):
        self.made = tf.data.TFRecordDataset(part)


def make_data_loaders(experiment_config, hparams):
    return wrap_dataset(Data("train").made), wrap_dataset(Data("test").made)
