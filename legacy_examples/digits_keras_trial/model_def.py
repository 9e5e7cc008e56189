"""
Reads a digit row by row with an LSTM. Trains on accuracy, validates on the error.
"""
from typing import Any, Callable, Dict

from pedl.frameworks.keras import KerasTrial
from pedl.trial import MetricOp, ValidOp

import keras
import tensorflow as tf
from keras.layers import LSTM, Dense
from keras.losses import categorical_crossentropy
from keras.metrics import categorical_accuracy
from keras.models import Sequential
from keras.optimizers import RMSprop


def error(y_true, y_pred):
    return 1.0 - categorical_accuracy(y_true, y_pred)


class DigitsKerasTrial(KerasTrial):
    def __init__(self, hparams: Dict[str, Any]) -> None:
        self.my_batch_size = hparams["batch_size"]
        self.my_learning_rate = hparams["learning_rate"]

    def build_model(self, hparams: Dict[str, Any]) -> Sequential:
        model = Sequential()
        model.add(LSTM(hparams["units"], input_shape=(8, 8)))
        model.add(Dense(10, activation="softmax"))
        return model

    def optimizer(self) -> keras.optimizers.Optimizer:
        return RMSprop(lr=self.my_learning_rate, decay=1e-4)

    def loss(self) -> Callable:
        return categorical_crossentropy

    def batch_size(self) -> int:
        return self.my_batch_size

    def session_config(self, hparams: Dict[str, Any]) -> tf.ConfigProto:
        return tf.ConfigProto(allow_soft_placement=True)

    def training_metrics(self) -> Dict[str, MetricOp]:
        return {"accuracy": categorical_accuracy}

    def validation_metrics(self) -> Dict[str, ValidOp]:
        return {"validation_error": error, "accuracy": categorical_accuracy}
