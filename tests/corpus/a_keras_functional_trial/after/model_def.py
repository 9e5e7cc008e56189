from functools import cached_property

import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext
from tensorflow.keras.metrics import categorical_accuracy
from nets import digits

from data import make_data_loaders


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        model = self.context.wrap_model(digits(self.context.get_hparam("units")))
        optimizer = self.context.wrap_optimizer(self.optimizer())
        model.compile(optimizer, loss=self.losses(), metrics=self.named_metrics())
        return model

    def optimizer(self):
        return tf.keras.optimizers.legacy.SGD(learning_rate=0.1)

    def losses(self):
        return {"digit": "categorical_crossentropy", "kind": "binary_crossentropy"}

    def training_metrics(self):
        return {"digits": ("digit", categorical_accuracy)}

    def validation_metrics(self):
        return {"digits": ("digit", categorical_accuracy)}

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

    def named_metrics(self):
        """The metrics of each output by the names under which they are reported."""
        metrics = {**self.training_metrics(), **self.validation_metrics()}
        named: dict[str, list] = {}
        for name, (output, metric) in metrics.items():
            wrapped = tf.keras.metrics.MeanMetricWrapper(metric, name=name)
            named.setdefault(output, []).append(wrapped)
        return named
