"""Names and lists of layers in standalone Keras."""

import weakref

import tensorflow as tf

from pedl2det_legacy.old_layers import replace, replace_in_bases


def name_layers_from_one():
    """Name layers `dense_1`, `dense_2` and so on, as standalone Keras did.

    Keras of today calls the first one `dense`, which may be the name of another layer.
    """
    replace_in_bases("_init_set_name", from_one)


def from_one(naming):
    """Return a method that names layers, and counts them from 1."""

    def named(self, name, zero_based=False):
        naming(self, name, zero_based=zero_based)

    return named


def use_own_lists_of_layers():
    """Let `layers` of a model be its own list, as in standalone Keras: `model.layers.pop()`."""
    kind = next(one for one in tf.keras.Model.__mro__ if "layers" in vars(one))
    replace(kind, "layers", own_lists)


def own_lists(layers_of_today):
    """Return a property with one list for each model, for as long as its layers are the same."""
    lists = weakref.WeakKeyDictionary()

    def layers(self):
        present = layers_of_today.fget(self)
        known, own = lists.get(self, (None, None))
        if known != present:
            own = list(present)
            lists[self] = present, own
        return own

    return property(layers)
