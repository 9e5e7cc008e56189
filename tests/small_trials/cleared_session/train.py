import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.callbacks import Callback
from keras.layers import Dense, Dropout
from keras.models import Sequential

import pedl

config = tf.ConfigProto()
config.gpu_options.allow_growth = True
K.set_session(tf.Session(config=config))


class Norm(Callback):
    """Shrink the kernels once their norm is above 2."""

    def set_model(self, model):
        super(Norm, self).set_model(model)
        self.norm = tf.sqrt(sum(tf.reduce_sum(tf.square(w)) for w in model.trainable_weights))
        self.shrink = [tf.assign(w, 0.9 * w) for w in model.trainable_weights if "kernel" in w.name]

    def on_epoch_end(self, epoch, logs=None):
        sess = K.get_session()
        if sess.run(self.norm) > 2.0:
            sess.run(self.shrink)


class Experiment:
    def __init__(self, seed):
        K.clear_session()
        rng = np.random.RandomState(seed)
        self.x = rng.normal(size=(48, 5))
        self.y = (self.x ** 2).sum(1)

    def build(self):
        model = Sequential()
        model.add(Dense(6, activation="relu", input_dim=5))
        model.add(Dropout(0.2))
        model.add(Dense(1))
        model.compile(optimizer="rmsprop", loss="mean_squared_error")
        return model

    def train(self):
        model = self.build()
        for size in (8, 4, 2):
            try:
                model.fit(self.x[:32], self.y[:32], batch_size=size, nb_epoch=2, callbacks=[Norm()],
                          validation_data=(self.x[32:], self.y[32:]))
                break
            except tf.errors.ResourceExhaustedError:
                print("no memory for batches of", size)


Experiment(pedl.get_hyperparameter("seed")).train()
