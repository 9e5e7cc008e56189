"""Names of layers in standalone Keras."""

import tensorflow as tf


def name_layers_from_one():
    """Name layers `dense_1`, `dense_2` and so on, as standalone Keras did.

    Keras of today calls the first one `dense`, which may be the name of another layer.
    """
    for base in tf.keras.Sequential.__mro__:
        naming = vars(base).get("_init_set_name")
        if naming is not None and naming.__module__ != __name__:
            base._init_set_name = from_one(naming)


def from_one(naming):
    """Return a method that names layers, and counts them from 1."""

    def named(self, name, zero_based=False):
        naming(self, name, zero_based=zero_based)

    return named
