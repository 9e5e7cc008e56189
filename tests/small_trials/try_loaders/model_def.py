import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

from pedl.frameworks.keras import TFKerasTrial

class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([layers.Dense(16, activation="relu", input_shape=(8,)), layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(lr=hparams["lr"]), "mse")
        return model
