import tensorflow as tf


def load(context, part):
    return context.wrap_dataset(tf.data.TFRecordDataset(part)).batch(8)


def make_data_loaders(context):
    return load(context, "train"), load(context, "test")
