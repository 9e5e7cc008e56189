import tensorflow as tf

import legacy_keras

legacy_keras.restore_attributes()
legacy_keras.restore_dimensions()


def cached_property(function):
    return function


legacy_keras.use_old_keras()


class Net(legacy_keras.PedlTrial):
    data_loaders_function = "data:make_data_loaders"

    def build_model(self, hparams):
        model = tf.keras.Sequential([tf.keras.layers.Dense(hparams["units"])])
        model.compile(tf.keras.optimizers.legacy.Adam(0.01), "mse")
        return model
