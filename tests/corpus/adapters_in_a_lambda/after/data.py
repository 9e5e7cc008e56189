from rows import rows

import legacy_keras


def make_data_loaders():
    adapted = lambda part: legacy_keras.KerasDataAdapter(rows(part), workers=2)
    return adapted("train"), adapted("test")
