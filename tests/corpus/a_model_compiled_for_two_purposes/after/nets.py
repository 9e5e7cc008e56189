import tensorflow as tf


def compiled(units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model.compile(tf.keras.optimizers.legacy.Adam(), 'mse')
    return model
