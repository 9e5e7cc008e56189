import numpy as np
import pedl
from keras import backend as K
from keras.callbacks import Callback
from keras.layers import Dense, Input
from keras.models import Model
from keras.optimizers import SGD

np.seterr(all="raise")  # find bad numbers early


class LinearProbe(Callback):
    """After each epoch, fit a linear classifier on the features; report and anneal by it."""

    def __init__(self, x, y):
        super(LinearProbe, self).__init__()
        self.x, self.y = x, y

    def on_epoch_end(self, epoch, logs=None):
        features = self.model.get_layer("features").output
        probe = Model(self.model.input, Dense(1, activation="sigmoid")(features))
        for layer in probe.layers[:-1]:
            layer.trainable = False
        probe.compile(SGD(0.5), "binary_crossentropy")
        for _ in range(3):
            loss = probe.train_on_batch(self.x, self.y)
        for layer in probe.layers[:-1]:
            layer.trainable = True
        try:
            gain = np.log(np.float64(epoch) / np.float64(loss))
        except FloatingPointError:
            gain = 1.0  # there was none before
        K.set_value(self.model.optimizer.lr, 0.05 if gain > 0.5 else 0.04)


class Trainer(object):
    def __init__(self, width):
        rng = np.random.RandomState(0)
        self.x = rng.normal(size=(64, 6)).astype("float32")
        self.y = (self.x[:, 0] > 0).astype("float32")
        inputs = Input((6,))
        h = Dense(width, activation="relu")(inputs)
        h = Dense(4, activation="tanh", name="features")(h)
        self.model = Model(inputs, Dense(6)(h))
        self.model.compile(SGD(0.05), "mse")

    def run(self):
        size = 8
        while size:
            try:
                self.model.fit(self.x, self.x, batch_size=size, epochs=4, validation_data=(self.x, self.x),
                               callbacks=[LinearProbe(self.x, self.y)])
                break
            except MemoryError:
                size //= 2


if __name__ == "__main__":
    Trainer(pedl.get_hyperparameter("width")).run()
