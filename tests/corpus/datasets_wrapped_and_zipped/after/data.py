import tensorflow as tf


def make_data_loaders(context):
    x = context.wrap_dataset(tf.data.Dataset.range(64)).map(float)
    y = context.wrap_dataset(tf.data.Dataset.range(64))
    train = tf.data.Dataset.zip((x, y))
    return train.shuffle(64).batch(8), tf.data.Dataset.zip((x, y)).batch(8)
