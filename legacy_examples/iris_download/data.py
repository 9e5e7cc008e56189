import os
import tempfile
import zipfile

import pandas as pd
import tensorflow as tf

import pedl
from config import BATCH_SIZE, VALIDATION_FILE
from pedl.frameworks.keras.data import InMemorySequence


def fetch(experiment_config, hparams):
    """Once on each machine: unpack the archive, return the directory."""
    directory = os.path.join(tempfile.gettempdir(), "iris-%d" % os.getpid())
    if not tf.gfile.Exists(directory):
        tf.gfile.MakeDirs(directory)
    with zipfile.ZipFile(experiment_config["data"]["archive"]) as archive:
        archive.extractall(directory)
    return directory


def load(name):
    table = pd.read_csv(os.path.join(pedl.get_download_data_dir(), name), header=0)
    labels = tf.keras.utils.to_categorical(table.pop("species"), 3)
    return InMemorySequence(table.values, labels, BATCH_SIZE)


def make_data_loaders(experiment_config, hparams):
    return load("iris_training.csv"), load(VALIDATION_FILE)
