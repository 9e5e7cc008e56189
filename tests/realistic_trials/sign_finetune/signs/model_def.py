import logging
import os
import tempfile

import numpy as np
import tensorflow as tf
from scipy.ndimage import zoom
from sklearn.datasets import load_digits
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import CSVLogger, EarlyStopping, ModelCheckpoint
from tensorflow.keras.layers import Conv2D, Dense, Dropout, GlobalAveragePooling2D, Input
from tensorflow.keras.losses import categorical_crossentropy
from tensorflow.keras.models import Model
from tensorflow.keras.preprocessing.image import ImageDataGenerator
from tensorflow.keras.utils import to_categorical

import pedl
from pedl.frameworks.keras import TFKerasTrial
from pedl.frameworks.keras.data import KerasDataAdapter

from signs import config
from signs.blocks import Block

logger = logging.getLogger("signs")


def prepare(experiment_config, hparams):
    """Scale the scans once per machine."""
    target = os.path.join(tempfile.gettempdir(), "signs-%d-v2" % config.SIDE)
    if not tf.gfile.Exists(target):
        tf.gfile.MakeDirs(target)
    path = os.path.join(target, "signs.npz")
    if not tf.gfile.Exists(path):
        digits = load_digits()
        factor = config.SIDE / 8.
        images = np.stack([zoom(im, factor, order=1) for im in digits.images]) / 16.
        np.savez(path, images=images[..., None].astype(np.float32), labels=digits.target)
        logger.info("%s: %d bytes", path, tf.gfile.Stat(path).length)
    return target


def smooth_crossentropy(y_true, y_pred):
    y_true = y_true * (1 - config.SMOOTHING) + config.SMOOTHING / config.CLASSES
    return categorical_crossentropy(y_true, y_pred)


def make_data_loaders(experiment_config, hparams):
    data = np.load(os.path.join(pedl.get_download_data_dir(), "signs.npz"))
    images, labels = data["images"], data["labels"]
    order = np.random.RandomState(config.SEED).permutation(len(images))
    n_valid = experiment_config["data"]["n_valid"]
    valid, train = order[:n_valid], order[n_valid:experiment_config["data"].get("n_train", 1200) + n_valid]

    # new signs are rarer in the field than in this set
    weights = np.where(labels < config.OLD_CLASSES, 1.0, experiment_config["data"]["new_weight"]).astype(np.float32)
    onehot = to_categorical(labels, config.CLASSES)

    augment = ImageDataGenerator(**experiment_config["data"]["augment"])
    flow = augment.flow(images[train], onehot[train], sample_weight=weights[train],
                        batch_size=hparams["batch_size"], shuffle=True, seed=config.SEED)
    plain = ImageDataGenerator().flow(images[valid], onehot[valid], batch_size=hparams["batch_size"], shuffle=False)
    accel = experiment_config["data"].get("accel", {})
    return KerasDataAdapter(flow, **accel), plain


class SignTrial(TFKerasTrial):

    def build_backbone(self, hparams):
        x = image = Input((config.SIDE, config.SIDE, config.CHANNELS))
        x = Conv2D(hparams["width"], 3, strides=2, padding="same", activation=hparams["activation"], name="stem")(x)
        for i in range(hparams["blocks"]):
            x = Block(hparams["width"] * 2 ** i, stride=2 if i else 1, activation=hparams["activation"])(x)
        x = GlobalAveragePooling2D(name="pool")(x)
        return Model(image, x, name="backbone")

    def pretrain(self, backbone, batches):
        """We have no weights of the backbone for every width, so make some: old signs only, a few batches."""
        data = np.load(os.path.join(pedl.get_download_data_dir(), "signs.npz"))
        old = np.flatnonzero(data["labels"] < config.OLD_CLASSES)[:batches * 32]
        head = Dense(config.OLD_CLASSES, activation="softmax", name="old_head")(backbone.output)
        model = Model(backbone.input, head, name="pretraining")
        model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
        for i in range(batches):
            rows = old[i * 32:(i + 1) * 32]
            logs = model.train_on_batch(data["images"][rows], data["labels"][rows])
        logger.info("pretraining: %s", dict(zip(model.metrics_names, logs)))

    def build_model(self, hparams):
        backbone = self.build_backbone(hparams)
        if hparams["pretrain_batches"]:
            self.pretrain(backbone, hparams["pretrain_batches"])

        # "stem", "block1", "block2", "none"
        freeze = hparams["freeze_to"]
        if freeze != "none":
            for layer in backbone.layers:
                layer.trainable = False
                if layer.name.startswith(freeze) and layer.name.endswith(("stem", "bn2")):
                    break
        for layer in backbone.layers:
            if hparams.get("freeze_bn", False) and "_bn" in layer.name:
                layer.trainable = False

        x = Dropout(hparams["dropout"])(backbone.output)
        x = Dense(config.CLASSES, activation="softmax", name="signs",
                  kernel_constraint=tf.keras.constraints.max_norm(3.))(x)
        model = Model(backbone.input, x)
        logger.info("%d of %d weights are trained", len(model.trainable_weights), len(model.weights))
        model.compile(tf.keras.optimizers.Adam(hparams["lr"], beta_2=0.99),
                      loss=smooth_crossentropy, metrics=["acc"])
        return model

    def keras_callbacks(self, hparams):
        out = tempfile.mkdtemp(prefix="signs-")
        return [
            CSVLogger(os.path.join(out, "epochs.csv")),
            ModelCheckpoint(os.path.join(out, "model.h5"), monitor="loss", save_best_only=True, save_weights_only=True),
        ]
