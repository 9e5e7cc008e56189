import functools

import pedl


@functools.lru_cache()
def units():
    return pedl.get_hyperparameter("units")
