import os

import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_digits

import determined as det
from determined.keras import InputData, TFKerasTrial, TFKerasTrialContext, callbacks

from wgan import ConditionalWGAN

CLASSES = 10


class Contact(callbacks.Callback):
    """Saves a sheet of samples beside each checkpoint, and counts the sheets over restarts."""

    def __init__(self, trial: "WGANTrial", columns: int = 8):
        super().__init__()
        self.trial, self.columns = trial, columns
        self.sheets = 0

    def get_state(self):
        return {"sheets": self.sheets}

    def load_state(self, state):
        self.sheets = state["sheets"]

    def on_train_workload_end(self, total_batches_trained, logs=None):
        if "wasserstein" in (logs or {}) and not np.isfinite(logs["wasserstein"]):
            self.model.stop_training = True

    def on_checkpoint_end(self, checkpoint_dir: str) -> None:
        labels = np.repeat(np.arange(CLASSES), self.columns).astype(np.int32)
        images = self.trial.model.sample(tf.constant(labels), training=False).numpy()[..., 0]
        sheet = images.reshape(CLASSES, self.columns, 8, 8).transpose(0, 2, 1, 3).reshape(CLASSES * 8, -1)
        self.sheets += 1
        Image.fromarray(((sheet + 1) * 127.5).astype(np.uint8)).save(os.path.join(checkpoint_dir, "samples.png"))


class WGANTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        self.context.configure_fit(verbose=False)

    def build_model(self) -> tf.keras.Model:
        hparams = self.context.get_hparams()
        model = ConditionalWGAN(hparams, CLASSES)
        model = self.context.wrap_model(model)
        g, c = (
            self.context.wrap_optimizer(tf.keras.optimizers.Adam(lr=hparams[name], beta_1=0.5, beta_2=0.9))
            for name in ("generator_lr", "critic_lr")
        )
        model.compile(g_optimizer=g, c_optimizer=c)
        self.model = model
        return model

    def _dataset(self, lo: float, hi: float) -> tf.data.Dataset:
        digits = load_digits()
        images = (digits.images / 8.0 - 1.0).astype(np.float32)[..., None]
        n = len(images)
        part = slice(int(lo * n), int(hi * n))
        ds = tf.data.Dataset.from_tensor_slices((images[part], digits.target[part].astype(np.int32)))
        return self.context.wrap_dataset(ds)

    def build_training_data_loader(self) -> InputData:
        ds = self._dataset(0.0, 0.8).cache().shuffle(2000, seed=self.context.get_trial_seed())
        return ds.batch(self.context.get_per_slot_batch_size(), drop_remainder=True).prefetch(2)

    def build_validation_data_loader(self) -> InputData:
        return self._dataset(0.8, 1.0).batch(self.context.get_per_slot_batch_size())

    def keras_callbacks(self):
        return [Contact(self)]
