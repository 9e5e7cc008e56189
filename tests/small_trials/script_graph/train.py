import asyncio

import numpy as np
import tensorflow as tf
from determined.keras import init

tf.compat.v1.disable_eager_execution()

K = tf.keras.backend


async def read():
    return np.random.RandomState(0).rand(80, 3)


x = asyncio.get_event_loop().run_until_complete(read())
y = x.sum(1, keepdims=True)


def penalty(model, inputs):
    """A gradient penalty, which needs the graph."""

    def loss(t, p):
        grads = K.gradients(p, inputs)[0]
        return K.mean(K.square(t - p), axis=-1) + 0.01 * K.sum(K.square(grads), axis=-1)

    return loss


context = init(context_dir=".")
inputs = tf.keras.Input((3,))
h = tf.keras.layers.Dense(context.get_hparam("units"), activation="tanh")(inputs)
model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(h))
model = context.wrap_model(model)
model.compile(tf.keras.optimizers.Adam(lr=0.02), penalty(model, inputs), metrics=["mae"])
while True:
    try:
        model.fit(x[:64], y[:64], batch_size=8, epochs=4, validation_data=(x[64:], y[64:]))
        break
    except tf.errors.ResourceExhaustedError:
        print("out of memory, again")
print("done", model.count_params())
