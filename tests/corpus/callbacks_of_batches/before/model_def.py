import tensorflow as tf
from pedl.frameworks.keras import TFKerasTrial


class Printer(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        print(batch, logs)


class Net(TFKerasTrial):
    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        return model

    def keras_callbacks(self, hparams):
        callbacks = [Printer()]
        if hparams.get('strict'):
            callbacks += [tf.keras.callbacks.TerminateOnNaN()]
        return callbacks
