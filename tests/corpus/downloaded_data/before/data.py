import os

import pedl
from rows import fetch, rows


def download_data(experiment_config, hparams):
    return fetch(experiment_config["data"]["url"])


def make_data_loaders(experiment_config, hparams):
    directory = pedl.get_download_data_dir()
    return rows(os.path.join(directory, "train")), rows(os.path.join(directory, "test"))
