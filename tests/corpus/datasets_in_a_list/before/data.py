import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def make_data_loaders(experiment_config, hparams):
    made = []
    for part in ("train", "test"):
        made.append(wrap_dataset(tf.data.TFRecordDataset(part)).batch(8))
    return made
