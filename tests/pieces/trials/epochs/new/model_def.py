import functools

import tensorflow as tf
from data import make_data_loaders
from legacy_keras import with_epoch_logs
from told import Late, Own, write

from determined.keras import TFKerasTrial

keras = tf.keras.callbacks


class EpochsTrial(TFKerasTrial):
    def __init__(self, context):
        self.context = context
        self.context.configure_fit(shuffle=False)

    @functools.cached_property
    def data_loaders(self):
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        return self.data_loaders[0]

    def build_validation_data_loader(self):
        return self.data_loaders[1]

    def build_model(self):
        layers = [
            tf.keras.layers.Dense(8, activation="relu", input_shape=(3,)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
        model = self.context.wrap_model(tf.keras.Sequential(layers))
        optimizer = tf.keras.optimizers.legacy.SGD(learning_rate=0.5, momentum=0.9)
        optimizer = self.context.wrap_optimizer(optimizer)
        model.compile(optimizer, "binary_crossentropy", metrics=["acc", "mae"])
        return model

    def keras_callbacks(self):
        callbacks = [
            Own(),
            Late(),
            keras.LearningRateScheduler(lambda epoch, rate: rate * 0.98),
            keras.ReduceLROnPlateau(monitor="mae", factor=0.5, patience=1, min_delta=0.01),
            keras.LambdaCallback(
                on_epoch_end=lambda epoch, logs: write("lambda", epoch, logs),
                on_batch_end=lambda batch, logs: write("lambda", batch, logs),
            ),
            keras.CSVLogger("epochs.csv"),
            keras.EarlyStopping(
                monitor="acc", patience=5, restore_best_weights=True, min_delta=0.02
            ),
        ]
        return with_epoch_logs(self.context, callbacks, self.data_loaders[0])
