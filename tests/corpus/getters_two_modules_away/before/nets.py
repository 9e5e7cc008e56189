import tensorflow as tf
from blocks import block


def stack(depth):
    return tf.keras.Sequential([block() for _ in range(depth)])
