import os

from rows import fetch, rows

import legacy_keras


def download_data(context):
    return fetch(context.get_data_config()["url"])


def make_data_loaders():
    directory = legacy_keras.get_download_data_dir()
    return rows(os.path.join(directory, "train")), rows(os.path.join(directory, "test"))
