import tensorflow as tf


def make_data_loaders(context):
    made = []
    for part in ("train", "test"):
        made.append(context.wrap_dataset(tf.data.TFRecordDataset(part)).batch(8))
    return made
