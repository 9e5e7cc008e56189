import pedl
import tensorflow as tf
from rows import Rows


def net(units):
    model = tf.keras.Sequential([tf.keras.layers.Dense(units)])
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    return model


if __name__ == "__main__":
    train, test = Rows("train"), Rows("test")
    model = net(pedl.get_hyperparameter("units"))
    # Fit it.
    model.fit_generator(train, validation_data=test, workers=2)
