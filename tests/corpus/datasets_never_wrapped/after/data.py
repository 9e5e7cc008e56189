import tensorflow as tf


def load(part):
    return tf.data.TFRecordDataset(part).batch(8)


def make_data_loaders(context):
    return (
        context.wrap_dataset(load("train"), shard_dataset=False),
        context.wrap_dataset(load("test"), shard_dataset=False),
    )
