# keras-retinanet==0.5.1 keras-resnet==0.2.0 (also: cython opencv-python-headless progressbar2 six)
import keras
import numpy as np
from keras_retinanet import losses, models
from keras_retinanet.preprocessing.generator import Generator

from pedl.frameworks.keras import KerasTrial


class Boxes(Generator):
    """Bright rectangles on dark images."""

    def __init__(self, count, **kwargs):
        rng = np.random.RandomState(23)
        self.corners = rng.randint(4, 24, size=(count, 2))
        super(Boxes, self).__init__(**kwargs)

    def size(self):
        return len(self.corners)

    def num_classes(self):
        return 1

    def image_aspect_ratio(self, image_index):
        return 1.0

    def load_image(self, image_index):
        x, y = self.corners[image_index]
        image = np.zeros((64, 64, 3), dtype="uint8")
        image[y : y + 32, x : x + 32] = 200
        return image

    def load_annotations(self, image_index):
        x, y = self.corners[image_index]
        return {"labels": np.zeros(1), "bboxes": np.array([[x, y, x + 32.0, y + 32.0]])}


def make_data_loaders(experiment_config, hparams):
    sizes = {"image_min_side": 64, "image_max_side": 64, "shuffle_groups": False}
    batch_size = hparams["batch_size"]
    return Boxes(32, batch_size=batch_size, **sizes), Boxes(8, batch_size=batch_size, **sizes)


class BoxTrial(KerasTrial):
    def __init__(self, hparams):
        self.hparams = hparams

    def build_model(self, hparams):
        backbone = models.backbone("resnet50")
        return backbone.retinanet(1, inputs=keras.layers.Input((64, 64, 3)))

    def batch_size(self):
        return self.hparams["batch_size"]

    def optimizer(self):
        return keras.optimizers.adam(lr=self.hparams["learning_rate"], clipnorm=0.001)

    def loss(self):
        return {"regression": losses.smooth_l1(), "classification": losses.focal()}

    def training_metrics(self):
        return {}

    def validation_metrics(self):
        return {}
