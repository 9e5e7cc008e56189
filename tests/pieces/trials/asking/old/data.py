import os

import numpy as np
import pandas as pd
import settings

import pedl
from pedl.frameworks.keras.data import InMemorySequence, KerasDataAdapter

RECORDS = 46


def download_data(experiment_config, hparams):
    directory = experiment_config["data"]["directory"] + settings.NAME
    os.makedirs(directory, exist_ok=True)
    rows = np.random.RandomState(settings.SEED).rand(RECORDS, 4)
    np.save(os.path.join(directory, "rows.npy"), rows)
    return directory


def make_data_loaders(experiment_config, hparams):
    rows = np.load(os.path.join(pedl.get_download_data_dir(), "rows.npy"))
    table = pd.DataFrame(rows, columns=list("abcd"))
    labels = table.pop("d")
    weights = np.ones(RECORDS)
    train = InMemorySequence(table, labels, settings.BATCH_SIZE, weights, drop_leftovers=True)
    test = InMemorySequence(table[:10], labels[:10], hparams["batch_size"])
    acceleration = settings.DATA["acceleration"]
    return KerasDataAdapter(train, workers=acceleration["workers"]), test
