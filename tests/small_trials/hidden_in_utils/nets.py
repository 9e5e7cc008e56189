import tensorflow as tf
from tensorflow.keras.layers import *
from tensorflow.keras import backend as K
from tensorflow.keras import optimizers as O


def build(config):
    get = config.get
    model = tf.keras.Sequential()
    for index, units in enumerate(get("units", [16])):
        options = {"input_shape": (8,)} if index == 0 else {}
        model.add(Dense(units, activation=get("activation", "relu"), **options))
    model.add(BatchNormalization(trainable=not get("freeze")))
    model.add(Dense(1))
    model.compile(loss=getattr(tf.keras.losses, get("loss")), optimizer=O.Nadam(get("lr") / 10))
    return model


def callbacks(lr, **unused):
    class Warm(tf.keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            self.step = 0

        def on_batch_begin(self, batch, logs=None):
            self.step += 1
            K.set_value(self.model.optimizer.lr, lr * min(1.0, self.step / 30) / 10)

    return [Warm()]
