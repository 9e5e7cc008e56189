import tensorflow as tf
from rows import read


class Rows(tf.keras.utils.Sequence):
    def __init__(self, context, part):
        self.size = context.get_per_slot_batch_size()
        self.rows = read(part)

    def __len__(self):
        return len(self.rows) // self.size

    def __getitem__(self, index):
        return self.rows[index * self.size : (index + 1) * self.size]


def make_data_loaders(context):
    return Rows(context, "train"), Rows(context, part="test")
