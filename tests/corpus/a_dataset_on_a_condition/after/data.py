import tensorflow as tf


def make_data_loaders(context):
    train = tf.data.Dataset.range(64)
    if context.get_data_config().get("shuffled"):
        train = train.shuffle(64)
    train = context.wrap_dataset(train)
    test = (
        tf.data.Dataset.range(16)
        if context.get_hparam("units")
        else tf.data.Dataset.range(8)
    )
    return train, context.wrap_dataset(test)
