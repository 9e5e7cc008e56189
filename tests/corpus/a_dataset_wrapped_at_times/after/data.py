import tensorflow as tf


def make_data_loaders(context):
    made = tf.data.Dataset.range(64)
    train = context.wrap_dataset(made) if context.get_hparam("units") else made
    return (
        context.wrap_dataset(train.batch(8), shard_dataset=False),
        context.wrap_dataset(tf.data.Dataset.range(8)),
    )
