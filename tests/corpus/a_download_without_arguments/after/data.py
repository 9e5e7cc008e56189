from rows import fetch, rows

import legacy_keras


def download_data():
    return fetch()


def make_data_loaders():
    return rows(legacy_keras.get_download_data_dir()), rows("test")
