import pedl
from rows import fetch, rows


def download_data():
    return fetch()


def make_data_loaders(experiment_config, hparams):
    return rows(pedl.get_download_data_dir()), rows("test")
