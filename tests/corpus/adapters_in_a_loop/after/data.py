from rows import rows

import legacy_keras


def make_data_loaders():
    return tuple(
        legacy_keras.KerasDataAdapter(rows(part), workers=2)
        for part in ("train", "test")
    )
