# segmentation-models==1.0.1 image-classifiers==1.0.0 efficientnet==1.0.0 Keras-Applications==1.0.8 (also: scikit-image)
import os

os.environ["SM_FRAMEWORK"] = "tf.keras"

import numpy as np
import segmentation_models as sm
import tensorflow as tf

from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(5)
    x = rng.rand(24, 32, 32, 3).astype("float32")
    y = (x.mean(axis=-1, keepdims=True) > 0.5).astype("float32")
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:16], y[:16], batch_size), InMemorySequence(
        x[16:], y[16:], batch_size
    )


class MaskTrial(TFKerasTrial):
    def build_model(self, hparams):
        sm.set_framework("tf.keras")
        model = sm.Linknet(
            "efficientnetb0",
            input_shape=(32, 32, 3),
            encoder_weights=None,
            decoder_filters=(None, None, None, None, 4),
        )
        model.compile(
            tf.keras.optimizers.Adam(lr=hparams["learning_rate"]),
            loss=sm.losses.bce_dice_loss,
            metrics=[sm.metrics.iou_score, sm.metrics.FScore(threshold=0.5)],
        )
        return model
