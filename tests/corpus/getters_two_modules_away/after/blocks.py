import tensorflow as tf


def block(context):
    return tf.keras.layers.Dense(context.get_hparam('units'))
