import os

import numpy as np

import pedl
from pedl.data import ArrayBatchLoader


def make_data_loaders(experiment_config, hparams):
    config = experiment_config.get("data", {})
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), config["file"])
    with np.load(path) as data:
        images = data["images"].reshape(-1, 8, 8) / 16.0
        labels = np.eye(10)[data["labels"]]
    held_out = config["validation_set_size"]
    print("experiment", pedl.get_experiment_id(), "validates", held_out, "digits")
    train = ArrayBatchLoader(images[held_out:], labels[held_out:])
    validation = ArrayBatchLoader(images[:held_out], labels[:held_out])
    return train, validation
