"""The arguments of Keras 1, which layers of Keras 2.2.4 took as well."""

import functools
import inspect

import tensorflow as tf

from pedl2det_legacy.old_layers import replace
from pedl2det_names.keras import (
    CONVOLUTIONS,
    DATA_FORMATS,
    KERAS_1_DROPPED,
    KERAS_1_NAMES,
    KERAS_1_SIZES,
)


def use_old_arguments():
    """Let layers of `tf.keras` take the arguments that Keras 2.2.4 took."""
    for change in (*old_arguments(), *old_sizes()):
        replace(*change)


def old_arguments():
    """Yield each class of layers, the name of its constructor, and its wrapper."""
    kinds = filter(inspect.isclass, vars(tf.keras.layers).values())
    for kind in dict.fromkeys(kinds):
        if "__init__" in vars(kind):
            yield kind, "__init__", with_names_of_keras_1


def old_sizes():
    """Yield the same of convolutions."""
    for name, dimensions in CONVOLUTIONS.items():
        yield getattr(tf.keras.layers, name), "__init__", with_sizes(dimensions)


def with_names_of_keras_1(initialize):
    """Return a constructor that takes the arguments of Keras 1 by their names."""
    known = inspect.signature(initialize).parameters
    dropped = KERAS_1_DROPPED.get(initialize.__qualname__.partition(".")[0], [])

    @functools.wraps(initialize)
    def __init__(self, *args, **kwargs):
        for names in KERAS_1_SIZES:
            if kwargs.keys() >= set(names):
                kwargs["kernel_size"] = tuple(kwargs.pop(name) for name in names)
        for old in dropped:
            kwargs.pop(old, None)
        for old in (KERAS_1_NAMES.keys() & kwargs.keys()) - known.keys():
            new = [name for name in KERAS_1_NAMES[old] if name in known]
            if new:
                value = kwargs.pop(old)
                is_order = old == "dim_ordering"
                kwargs |= {
                    name: DATA_FORMATS.get(value) if is_order else value for name in new
                }
        initialize(self, *args, **kwargs)

    return __init__


def with_sizes(dimensions):
    """Return a wrapper of a convolution's constructor, which reads `(filters, 3, 3)` as 3 by 3."""

    def with_kernel(initialize):
        @functools.wraps(initialize)
        def __init__(self, *args, **kwargs):
            initialize(self, *sizes_in_one(dimensions, args), **kwargs)

        return __init__

    return with_kernel


def sizes_in_one(dimensions, args):
    """Return positional arguments of a convolution with the sizes of its kernel as one of them."""
    sizes = args[1:]
    is_kernel = len(sizes) == dimensions and all(isinstance(one, int) for one in sizes)
    return (args[0], sizes) if is_kernel else args
