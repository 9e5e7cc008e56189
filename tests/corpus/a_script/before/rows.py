import tensorflow as tf


class Rows(tf.keras.utils.Sequence):
    def __init__(self, part):
        self.part = part

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.part[index]
