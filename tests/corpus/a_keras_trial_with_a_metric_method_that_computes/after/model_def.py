from functools import cached_property

import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
from tensorflow.keras.metrics import categorical_accuracy

import legacy_keras
from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = self.context.wrap_model(
            tf.keras.Sequential(
                [tf.keras.layers.Dense(self.context.get_hparam("units"))]
            )
        )
        optimizer = self.context.wrap_optimizer(self.optimizer())
        model.compile(
            optimizer,
            loss=self.loss(),
            metrics=legacy_keras.named_metrics(
                self.training_metrics(), self.validation_metrics()
            ),
        )
        return model

    def optimizer(self):
        return tf.keras.optimizers.legacy.SGD(learning_rate=0.1)

    def loss(self):
        return tf.keras.losses.categorical_crossentropy

    def training_metrics(self):
        return {"accuracy": categorical_accuracy}

    def validation_metrics(self):
        metrics = {}
        metrics["error"] = categorical_accuracy
        return metrics

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
