import argparse

import numpy as np
import pedl
from keras import backend as K
from keras.callbacks import Callback
from keras.layers import Dense, Input
from keras.models import Model
from keras.optimizers import Adam


class Ramp(Callback):
    def __init__(self, weight):
        super(Ramp, self).__init__()
        self.weight = weight

    def on_epoch_begin(self, epoch, logs={}):
        K.set_value(self.weight, min(1.0, epoch / 3))


def main(args):
    rng = np.random.RandomState(args.seed)
    x = rng.normal(size=(320, 8))
    weight = K.variable(0.0)
    inputs = Input((8,))
    code = Dense(3, name="code")(inputs)
    model = Model(inputs, Dense(8)(code))

    def loss(true, pred):
        return K.mean(K.square(true - pred)) + weight * K.mean(K.square(code)) * 0 + weight * K.mean(K.abs(pred))

    model.compile(Adam(lr=pedl.get_hyperparameter("lr"), decay=args.decay), loss)
    model.fit(x, x, batch_size=32, epochs=5, shuffle=False, validation_data=(x[:64], x[:64]), callbacks=[Ramp(weight)], verbose=0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--decay", type=float, default=1e-3)
    main(parser.parse_args())
