import tensorflow as tf


def make_data_loaders(context):
    x = context.wrap_dataset(tf.data.Dataset.range(64))
    y = tf.data.Dataset.range(64)
    return tf.data.Dataset.zip((x, y)).batch(8), x.batch(8)
