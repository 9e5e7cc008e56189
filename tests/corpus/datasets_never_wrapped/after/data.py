import tensorflow as tf


def load(part):
    return tf.data.TFRecordDataset(part).batch(8)


def make_data_loaders():
    return load("train"), load("test")
