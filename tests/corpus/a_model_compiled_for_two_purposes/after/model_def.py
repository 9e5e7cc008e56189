from functools import cached_property

import legacy_keras
from data import make_data_loaders
from nets import compiled
from determined.keras import TFKerasTrial, TFKerasTrialContext


class Net(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def build_model(self):
        teacher = compiled(2 * self.context.get_hparam("units"))
        student = compiled(self.context.get_hparam("units"))
        student.teacher = teacher
        return legacy_keras.trained(self.context, student)

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
