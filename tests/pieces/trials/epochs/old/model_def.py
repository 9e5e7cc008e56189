import tensorflow as tf
from told import Late, Own, write

from pedl.frameworks.keras import TFKerasTrial

keras = tf.keras.callbacks


class EpochsTrial(TFKerasTrial):
    def build_model(self, hparams):
        layers = [
            tf.keras.layers.Dense(8, activation="relu", input_shape=(3,)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
        model = tf.keras.Sequential(layers)
        optimizer = tf.keras.optimizers.SGD(lr=0.5, momentum=0.9)
        model.compile(optimizer, "binary_crossentropy", metrics=["acc", "mae"])
        return model

    def keras_callbacks(self, hparams):
        return [
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
