"""Arrays without the records that fill no batch."""

import numpy as np


def whole_batches(*arrays, batch_size):
    """Leave out the records that do not fill a batch; what is no array stays as it is."""
    trimmed = tuple(_whole_batches(part, batch_size) for part in arrays)
    return trimmed if len(trimmed) > 1 else trimmed[0]


def _whole_batches(part, batch_size):
    if isinstance(part, dict):
        return {name: _whole_batches(value, batch_size) for name, value in part.items()}
    if type(part) in (list, tuple):
        return type(part)(_whole_batches(value, batch_size) for value in part)
    if not hasattr(part, "__array__") or not len(getattr(part, "shape", ())):
        return part
    return np.asarray(part)[: len(part) // batch_size * batch_size]
