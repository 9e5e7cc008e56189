"""
The iris data set, read from CSV files: the same records and columns as in the
original publication, split once into a training and a test file.
"""
import os

import pandas as pd
from tensorflow.keras.utils import to_categorical

import pedl
from pedl.frameworks.keras.data import InMemorySequence

LABEL = "species"
NUM_CLASSES = 3


def load_csv(path):
    df = pd.read_csv(path)
    labels = to_categorical(df.pop(LABEL), num_classes=NUM_CLASSES)
    return df, labels


def make_data_loaders(experiment_config, hparams):
    """Provides training and validation data for model training."""
    data_config = experiment_config["data"]
    here = os.path.dirname(os.path.abspath(__file__))

    train_features, train_labels = load_csv(os.path.join(here, data_config["training_data"]))
    test_features, test_labels = load_csv(os.path.join(here, data_config["test_data"]))

    train = InMemorySequence(
        data=train_features,
        labels=train_labels,
        batch_size=pedl.get_hyperparameter("batch_size"),
    )
    test = InMemorySequence(
        data=test_features,
        labels=test_labels,
        batch_size=pedl.get_hyperparameter("batch_size"),
    )
    return train, test
