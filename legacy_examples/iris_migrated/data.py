"""
The iris data set, read from CSV files: the same records and columns as in the
original publication, split once into a training and a test file.
"""
import os

import numpy as np
import pandas as pd
from tensorflow.keras.utils import to_categorical

LABEL = "species"
NUM_CLASSES = 3


def load_csv(path):
    df = pd.read_csv(path)
    labels = to_categorical(df.pop(LABEL), num_classes=NUM_CLASSES)
    return df, labels


def make_data_loaders(context):
    """Provides training and validation data for model training."""
    data_config = context.get_data_config()
    here = os.path.dirname(os.path.abspath(__file__))

    train_features, train_labels = load_csv(os.path.join(here, data_config["training_data"]))
    test_features, test_labels = load_csv(os.path.join(here, data_config["test_data"]))

    train = (np.asarray(train_features), np.asarray(train_labels))
    test = (np.asarray(test_features), np.asarray(test_labels))
    return train, test
