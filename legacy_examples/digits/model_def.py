"""
A small convolutional network for handwritten digits.
"""
from typing import Any, Dict

import tensorflow as tf
from tensorflow.keras import layers, models

from pedl.frameworks import keras


def error_rate(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    return 1.0 - tf.keras.metrics.categorical_accuracy(y_true, y_pred)


class DigitsTrial(keras.TFKerasTrial):
    def __init__(self, hparams: Dict[str, Any]) -> None:
        self.base_learning_rate = hparams["learning_rate"]  # type: float
        self.learning_rate_decay = hparams["learning_rate_decay"]  # type: float
        self.dropout = hparams.get("dropout", 0.25)  # type: float

    def session_config(self, hparams: Dict[str, Any]) -> tf.ConfigProto:
        if hparams.get("disable_CPU_parallelism", False):
            return tf.ConfigProto(
                intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
            )
        return tf.ConfigProto(allow_soft_placement=True)

    def build_model(self, hparams: Dict[str, Any]) -> models.Sequential:
        model = models.Sequential()
        model.add(
            layers.Conv2D(
                hparams["filters"], (3, 3), padding="same", activation="relu", input_shape=(8, 8, 1)
            )
        )
        model.add(layers.MaxPooling2D())
        model.add(layers.Flatten())
        model.add(layers.Dropout(self.dropout))
        model.add(layers.Dense(10, activation="softmax"))

        model.compile(
            tf.keras.optimizers.SGD(
                lr=self.base_learning_rate, momentum=0.9, decay=self.learning_rate_decay
            ),
            "categorical_crossentropy",
            metrics=["accuracy", error_rate],
        )
        return model
