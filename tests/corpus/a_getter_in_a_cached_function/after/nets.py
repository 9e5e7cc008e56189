import functools

import legacy_keras


@functools.lru_cache()
def units():
    return legacy_keras.get_hyperparameter("units")
