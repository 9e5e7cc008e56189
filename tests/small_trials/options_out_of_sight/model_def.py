import numpy as np
import tensorflow as tf
from determined.keras import TFKerasTrial, TFKerasTrialContext

def load(part):
    rng = np.random.RandomState(0 if part == "train" else 1)
    x = rng.rand(64 if part == "train" else 24, 6).astype("float32")
    y = (x.sum(axis=1, keepdims=True) > 3).astype("float32")
    return x, y

def make_optimizer(hparams):
    classes = {n.lower(): c for n, c in vars(tf.keras.optimizers).items() if isinstance(c, type)}
    options = {k: hparams[k] for k in ("learning_rate", "decay") if k in hparams}
    return make(classes[hparams["optimizer"]], options)


def make(cls, options):
    return cls(**options)


class Trial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context
        self.hparams = context.get_hparams()

    def build_model(self):
        model = tf.keras.Sequential([
            tf.keras.layers.Dense(8, activation="relu", input_shape=(6,)),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ])
        model = self.context.wrap_model(model)
        opt = self.context.wrap_optimizer(make_optimizer(self.hparams))
        model.compile(opt, tf.losses.BinaryCrossentropy(), metrics=[tf.metrics.BinaryAccuracy()])
        return model

    def build_training_data_loader(self):
        return load("train")

    def build_validation_data_loader(self):
        return load("valid")
