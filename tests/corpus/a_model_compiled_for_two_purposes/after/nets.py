import tensorflow as tf


def compiled(context, units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model = context.wrap_model(model)
    optimizer = context.wrap_optimizer(tf.keras.optimizers.legacy.Adam())
    model.compile(optimizer, 'mse')
    return model
