"""What all our trials have in common."""
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback


class Cooldown(Callback):
    def on_epoch_end(self, epoch, logs=None):
        rate = self.model.optimizer.lr
        K.set_value(rate, K.get_value(rate) * 0.8)


def shared_callbacks(self, hparams):
    return [Cooldown()] if hparams.get("cooldown", True) else []
