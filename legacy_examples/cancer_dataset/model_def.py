"""
Tells malignant from benign tumours, from a tf.data pipeline.
"""
import tensorflow as tf

import pedl
from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial


class CancerTrial(TFKerasTrial):
    def build_model(self, hparams) -> tf.keras.Model:
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(hparams["units"], activation="relu", input_shape=(30,)),
                tf.keras.layers.Dense(1, activation="sigmoid"),
            ]
        )
        rate = pedl.get_hyperparameter("learning_rate")
        model.compile(
            optimizer=tf.keras.optimizers.Adam(lr=rate),
            loss="binary_crossentropy",
            metrics=["accuracy"],
        )
        return model

    def keras_callbacks(self, hparams):
        return [TFKerasTensorBoard(update_freq="batch", profile_batch=0, histogram_freq=1)]
