import tensorflow as tf
from determined.keras import TFKerasTrial
from rows import Rows


class Net(TFKerasTrial):
    def __init__(self, context):
        self.context = context

    def build_model(self):
        return compiled(self.context)

    def build_training_data_loader(self):
        return Rows("train", self.context.get_per_slot_batch_size())

    def build_validation_data_loader(self):
        return Rows("test", self.context.get_per_slot_batch_size())
