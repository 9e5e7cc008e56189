"""
A small convolutional network for handwritten digits.
"""

from functools import cached_property

import tensorflow as tf
from tensorflow.keras import layers, models

from determined import keras

from data import make_data_loaders


def error_rate(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    return 1.0 - tf.keras.metrics.categorical_accuracy(y_true, y_pred)


class DigitsTrial(keras.TFKerasTrial):
    def __init__(self, context: keras.TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)
        tf.keras.backend.experimental.enable_tf_random_generator()
        self.base_learning_rate = context.get_hparam("learning_rate")  # type: float
        self.learning_rate_decay = context.get_hparam("learning_rate_decay")  # type: float
        self.dropout = context.get_hparams().get("dropout", 0.25)  # type: float

    def session_config(self) -> tf.compat.v1.ConfigProto:
        if self.context.get_hparams().get("disable_CPU_parallelism", False):
            return tf.compat.v1.ConfigProto(
                intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
            )
        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def build_model(self) -> models.Sequential:
        model = models.Sequential()
        model.add(
            layers.Conv2D(
                self.context.get_hparam("filters"),
                (3, 3),
                padding="same",
                activation="relu",
                input_shape=(8, 8, 1),
            )
        )
        model.add(layers.MaxPooling2D())
        model.add(layers.Flatten())
        model.add(layers.Dropout(self.dropout))
        model.add(layers.Dense(10, activation="softmax"))

        model = self.context.wrap_model(model)
        optimizer = self.context.wrap_optimizer(
            tf.keras.optimizers.legacy.SGD(
                learning_rate=self.base_learning_rate, momentum=0.9, decay=self.learning_rate_decay
            )
        )
        model.compile(
            optimizer,
            "categorical_crossentropy",
            metrics=["accuracy", error_rate],
        )
        return model

    @cached_property
    def data_loaders(self):
        """Training and validation data, from one call: they may share one shuffle."""
        return make_data_loaders(self.context)

    def build_training_data_loader(self):
        training, _ = self.data_loaders
        return training

    def build_validation_data_loader(self):
        _, validation = self.data_loaders
        return validation
