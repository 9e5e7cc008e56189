# segmentation-models==0.2.1 image-classifiers==0.2.2 Keras-Applications==1.0.8 (also: scikit-image)
import numpy as np
from keras.optimizers import Adam
from segmentation_models import Unet
from segmentation_models.losses import bce_jaccard_loss
from segmentation_models.metrics import iou_score

from pedl.frameworks.keras import KerasTrial
from pedl.frameworks.keras.data import InMemorySequence


def make_data_loaders(experiment_config, hparams):
    rng = np.random.RandomState(5)
    x = rng.rand(24, 32, 32, 3).astype("float32")
    y = (x.mean(axis=-1, keepdims=True) > 0.5).astype("float32")
    batch_size = hparams["batch_size"]
    return InMemorySequence(x[:16], y[:16], batch_size), InMemorySequence(
        x[16:], y[16:], batch_size
    )


class MaskTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        return Unet(
            "resnet18",
            input_shape=(32, 32, 3),
            encoder_weights=None,
            freeze_encoder=False,
            decoder_filters=(16, 16, 8, 8, 4),
        )

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return Adam(lr=self.hparams["learning_rate"])

    def loss(self):
        return bce_jaccard_loss

    def training_metrics(self):
        return {"iou": iou_score}

    def validation_metrics(self):
        return {"iou": iou_score}
