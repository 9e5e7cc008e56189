import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial

try:
    from tensorflow.keras.optimizers.legacy import Adam
except ImportError:  # TensorFlow 1
    from tensorflow.keras.optimizers import Adam


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(Adam(0.01), "mse")
        return model
