"""
Recognizes three kinds of wine. Written in April 2020, for Determined 0.12.0.
"""
import numpy as np
import pandas as pd
import tensorflow as tf

import determined.keras
from determined.keras import KerasDataAdapter, TFKerasTrial, TFKerasTrialContext


class Bottles(tf.keras.utils.Sequence):
    def __init__(self, features, kinds, batch_size):
        self.features, self.kinds, self.batch_size = features, kinds, batch_size

    def __len__(self):
        return int(np.ceil(len(self.features) / self.batch_size))

    def __getitem__(self, idx):
        rows = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        return self.features[rows], self.kinds[rows]


class WineTrial(TFKerasTrial):
    def __init__(self, trial_context: TFKerasTrialContext) -> None:
        super().__init__(trial_context)
        self.context = trial_context
        table = pd.read_csv(self.context.get_data_config()["file"])
        order = np.random.permutation(len(table))
        self.kinds = table.pop("target").to_numpy()[order]
        self.features = ((table - table.mean()) / table.std()).to_numpy(np.float32)[order]
        print("rank", self.context.get_rank(), "of", self.context.get_size())

    def session_config(self) -> tf.compat.v1.ConfigProto:
        return tf.compat.v1.ConfigProto(allow_soft_placement=True)

    def build_model(self) -> tf.keras.Model:
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(16, activation="relu", input_shape=(13,)),
                tf.keras.layers.Dense(3, activation="softmax"),
            ]
        )
        model = self.context.wrap_model(model)
        rate = self.context.get_hparam("learning_rate")
        model.compile(
            tf.keras.optimizers.RMSprop(lr=rate),
            "sparse_categorical_crossentropy",
            metrics=["accuracy"],
        )
        return model

    def build_training_data_loader(self) -> determined.keras.KerasDataAdapter:
        size = self.context.get_per_slot_batch_size()
        return KerasDataAdapter(
            Bottles(self.features[48:], self.kinds[48:], size), workers=2, use_multiprocessing=False
        )

    def build_validation_data_loader(self):
        return self.features[:48], self.kinds[:48]
