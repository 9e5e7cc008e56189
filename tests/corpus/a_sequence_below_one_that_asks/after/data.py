from rows import Sequence

import legacy_keras


class Base(Sequence):
    def __init__(self):
        self.size = legacy_keras.get_hyperparameter("batch_size")


class Rows(Base):
    def __init__(self, part):
        super().__init__()
        self.part = part


def make_data_loaders():
    return Rows("train"), Rows("test")
