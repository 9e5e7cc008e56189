import json

import tensorflow as tf


def write(*what):
    with open("told.jsonl", "a") as file:
        file.write(json.dumps(what, default=float, sort_keys=True) + "\n")


class Own(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def tell(self, *what):
        self.calls += 1
        write(self.calls, *what)

    def on_train_begin(self, logs=None):
        self.tell("train begin", logs, self.params)

    def on_train_end(self, logs=None):
        self.tell("train end", logs)

    def on_epoch_begin(self, epoch, logs=None):
        self.tell("epoch begin", epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        self.tell("epoch end", epoch, logs, self.params)
        logs["mine"] = epoch

    def on_batch_begin(self, batch, logs=None):
        self.tell("batch begin", batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        self.tell("batch end", batch, logs)
        logs["mine"] = batch

    def on_test_batch_end(self, batch, logs=None):
        self.tell("test batch end", batch, logs)

    def on_test_end(self, logs=None):
        self.tell("test end", logs)


class Late(tf.keras.callbacks.Callback):
    """Gets its hooks while it trains, and calls one itself."""

    def on_train_begin(self, logs=None):
        self.on_epoch_end = lambda epoch, logs: write("late end", epoch, logs)
        Late.on_epoch_begin = lambda self, epoch, logs: write("late begin", epoch)
        Late.on_batch_end = lambda self, batch, logs: write("late batch", batch, logs)

    def on_train_end(self, logs=None):
        self.on_epoch_end(-1, {})
