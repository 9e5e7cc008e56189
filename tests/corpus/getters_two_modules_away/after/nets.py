import tensorflow as tf
from blocks import block


def stack(context, depth):
    return tf.keras.Sequential([block(context) for _ in range(depth)])
