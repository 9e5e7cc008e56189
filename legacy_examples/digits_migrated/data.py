"""
Handwritten digits, 8 x 8 pixels. The training images are shifted and turned a
little, differently each time that they are seen.
"""
import os

import numpy as np
import tensorflow as tf

NUM_CLASSES = 10


class DigitsSequence(tf.keras.utils.Sequence):
    def __init__(self, images, labels, batch_size, augment=False):
        self.images = images
        self.labels = labels
        self.batch_size = batch_size
        self.augment = augment
        self.generator = tf.keras.preprocessing.image.ImageDataGenerator(
            rotation_range=10, width_shift_range=0.1, height_shift_range=0.1
        )

    def __len__(self):
        return int(np.ceil(len(self.images) / float(self.batch_size)))

    def __getitem__(self, idx):
        batch = slice(idx * self.batch_size, (idx + 1) * self.batch_size)
        images = self.images[batch]
        if self.augment:
            images = np.stack([self.generator.random_transform(image) for image in images])
        return images, self.labels[batch]


def load_digits(path):
    with np.load(path) as data:
        images = data["images"].astype("float32")[..., np.newaxis] / 16.0
        labels = tf.keras.utils.to_categorical(data["labels"], NUM_CLASSES)
    return images, labels


def make_data_loaders(context):
    data_config = context.get_data_config()
    here = os.path.dirname(os.path.abspath(__file__))
    images, labels = load_digits(os.path.join(here, data_config["file"]))

    # One shuffle decides which digits are held out: train and validation never overlap.
    indices = np.arange(len(images))
    np.random.shuffle(indices)
    held_out = data_config["validation_set_size"]
    train_indices, val_indices = indices[held_out:], indices[:held_out]

    batch_size = context.get_per_slot_batch_size()
    train = DigitsSequence(
        images[train_indices],
        labels[train_indices],
        batch_size,
        augment=context.get_hparams().get("augment", True),
    )
    val = DigitsSequence(images[val_indices], labels[val_indices], batch_size)

    acceleration = data_config.get("acceleration")
    if acceleration:
        context.configure_fit(
            workers=acceleration["workers"],
            use_multiprocessing=acceleration["use_multiprocessing"],
        )
    return train, val
