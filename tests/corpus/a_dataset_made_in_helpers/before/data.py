import tensorflow as tf
from pedl.frameworks.keras import wrap_dataset


def lines(pattern):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    return wrap_dataset(files).interleave(
        lambda name: tf.data.TextLineDataset(name),  # one a file
        cycle_length=4,
    )


def make_data_loaders(experiment_config, hparams):
    size = hparams["batch_size"]
    both = tf.data.Dataset.zip((lines("x*"), lines("y*")))
    return both.batch(size), lines("test*").batch(size)
