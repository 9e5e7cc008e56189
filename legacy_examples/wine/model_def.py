"""
Recognizes three kinds of wine. Written for Determined 0.15: tuples of NumPy arrays, two named
inputs, sample weights, a learning rate that falls with the validation loss.
"""
from typing import List

import numpy as np
import pandas as pd
import tensorflow as tf

from determined.keras import InputData, TFKerasTrial, TFKerasTrialContext
from determined.keras.callbacks import EarlyStopping, ReduceLROnPlateau

COLOURS = ["color_intensity", "hue", "od280/od315_of_diluted_wines"]


class WineTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context

        table = pd.read_csv(self.context.get_data_config()["file"])
        table = table.sample(frac=1.0, random_state=self.context.get_trial_seed())
        self.labels = table.pop("target").to_numpy()
        held_out = self.context.get_data_config()["validation_set_size"]
        training = table[held_out:]
        table = (table - training.mean()) / training.std()
        self.colours = table[COLOURS].to_numpy(np.float32)
        self.others = table.drop(columns=COLOURS).to_numpy(np.float32)
        self.held_out = held_out

    def build_model(self) -> tf.keras.Model:
        colours = tf.keras.Input((self.colours.shape[1],), name="colours")
        others = tf.keras.Input((self.others.shape[1],), name="others")
        hidden = tf.keras.layers.Dense(self.context.get_hparam("units"), activation="relu")(others)
        hidden = tf.keras.layers.Concatenate()([colours, hidden])
        hidden = tf.keras.layers.Dropout(self.context.get_hparam("dropout"))(hidden)
        kinds = tf.keras.layers.Dense(3, activation="softmax")(hidden)

        model = self.context.wrap_model(tf.keras.Model([colours, others], kinds))
        optimizer = tf.keras.optimizers.Adam(
            learning_rate=self.context.get_hparam("learning_rate")
        )
        optimizer = self.context.wrap_optimizer(optimizer)
        model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def build_training_data_loader(self) -> InputData:
        rows = slice(self.held_out, None)
        # The rarer a kind, the more one bottle of it counts.
        counts = np.bincount(self.labels[rows])
        weights = (counts.mean() / counts)[self.labels[rows]]
        inputs = {"colours": self.colours[rows], "others": self.others[rows]}
        return inputs, self.labels[rows], weights

    def build_validation_data_loader(self) -> InputData:
        rows = slice(None, self.held_out)
        return {"colours": self.colours[rows], "others": self.others[rows]}, self.labels[rows]

    def keras_callbacks(self) -> List[tf.keras.callbacks.Callback]:
        return [
            ReduceLROnPlateau(monitor="val_loss", patience=2, factor=0.5, verbose=1),
            EarlyStopping(monitor="val_loss", patience=6, mode="min"),
        ]
