"""Attributes that models, layers, optimizers and tensors had in TensorFlow 1 and Keras 2.2.4."""

import sys

import tensorflow as tf

from pedl2det_legacy.old_layers import replace


def restore_attributes():
    """Give models, layers, optimizers and tensors the attributes that old code uses."""
    for kind, name, made in old_attributes():
        setattr(kind, name, made)
    eager = tf.__internal__.EagerTensor.__mro__
    base = next(kind for kind in eager if "eval" in vars(kind))
    base.eval = lambda tensor, feed_dict=None, session=None: tensor.numpy()


def restore_dimensions():
    """Give the shapes of tensors the dimensions of TensorFlow 1, which have a `value`."""
    for change in old_dimensions():
        replace(*change)


def old_dimensions():
    """Yield the class of shapes, the names of what reads their dimensions, and its wrapper."""
    for name in ("__getitem__", "__iter__"):
        yield tf.TensorShape, name, with_dimensions


class _Dimension(int):
    """A known dimension."""

    value = property(int)


def with_dimensions(of_today):
    """Return a method that reads dimensions of a shape; an unknown one is not None.

    The code of libraries tests whether it is.
    """

    def read(shape, *key):
        caller = sys._getframe(1).f_code.co_filename
        is_library = "-packages" in caller and "autograph" not in caller
        unknown = None if is_library else tf.compat.v1.Dimension(None)

        def dimension(size):
            if size is None:
                return unknown
            return _Dimension(size) if type(size) is int else size

        found = of_today(shape, *key)
        return dimension(found) if key else map(dimension, found)

    return read


def old_attributes():
    """Yield each class, the name of an attribute, and what it was."""
    yield tf.keras.Sequential, "predict_classes", _predict_classes
    yield tf.keras.Sequential, "predict_proba", _predict_proba
    for function in ("predict", "test", "train"):  # nothing to do before threads call
        yield tf.keras.Model, f"_make_{function}_function", lambda model: None
    yield from _layers()
    for name in ("output_classes", "output_shapes", "output_types"):
        of_dataset = getattr(tf.compat.v1.data, f"get_{name}")
        yield tf.data.Dataset, name, property(of_dataset)
    yield tf.data.Dataset, "make_one_shot_iterator", _make_one_shot_iterator
    yield tf.Variable, "__hash__", object.__hash__  # of `set(model.weights)`
    optimizer = tf.keras.optimizers.legacy.Optimizer
    decay = property(lambda self: self._initial_decay)
    yield optimizer, "initial_decay", decay.setter(_set_initial_decay)
    get_config = optimizer.get_config
    yield optimizer, "get_config", lambda self: _Config(get_config(self))
    for kind in (tf.Tensor, tf.keras.__internal__.KerasTensor):
        yield kind, "_keras_shape", _Default(tf.keras.backend.int_shape)
        yield kind, "_uses_learning_phase", _Default(lambda tensor: False)


def _layers():
    layer = tf.keras.layers.Layer
    in_graph_mode = [one for one in layer.__subclasses__() if one.__name__ == "Layer"]
    for kind in (layer, *in_graph_mode):
        set_name = kind.name.setter(lambda layer, name: setattr(layer, "_name", name))
        yield kind, "name", set_name
        yield kind, "add_loss", _without_inputs(kind.add_loss)
        yield kind, "add_update", _without_inputs(_with_pairs(kind.add_update))
    for name in ("trainable_weights", "non_trainable_weights"):
        yield layer, name, getattr(layer, name).setter(_setting(f"_{name}"))


def _make_one_shot_iterator(dataset):
    if tf.executing_eagerly():
        return _DatasetIterator(dataset)
    return tf.compat.v1.data.make_one_shot_iterator(dataset)


class _DatasetIterator:
    """An iterator that `fit` draws from, like from a generator."""

    def __init__(self, dataset):
        self._dataset = dataset

    def __iter__(self):
        return iter(self._dataset)

    def get_next(self, name=None):
        """Raise what TensorFlow says of code of graph mode."""
        raise RuntimeError("get_next is not supported when eager execution is enabled")

    string_handle = get_next


class _Default:
    """An attribute that is computed unless it was set."""

    def __init__(self, read):
        self._read = read

    def __get__(self, instance, owner):
        return self if instance is None else self._read(instance)


class _Config(dict):
    """The config of an optimizer, which has its learning rate as `lr`, too."""

    def __missing__(self, name):
        return self[{"lr": "learning_rate"}[name]]


def _predict_classes(model, x, batch_size=32, verbose=0):
    scores = model.predict(x, batch_size=batch_size, verbose=verbose)
    if scores.shape[-1] > 1:
        return scores.argmax(axis=-1)
    return (scores > 0.5).astype("int32")


def _predict_proba(model, x, batch_size=32, verbose=0):
    return model.predict(x, batch_size=batch_size, verbose=verbose)


def _set_initial_decay(optimizer, decay):
    optimizer._initial_decay = decay


def _setting(name):
    def set_weights(layer, weights):
        getattr(layer, name)[:] = weights

    return set_weights


def _with_pairs(add_update):
    """Return a method that takes a variable and its next value, as Keras 2.2.4 did."""

    def add(layer, updates, **options):
        many = updates if isinstance(updates, list) else [updates]
        return add_update(layer, [_as_update(update) for update in many], **options)

    return add


def _as_update(update):
    is_tuple = isinstance(update, tuple) and isinstance(update[0], tf.Variable)
    if not is_tuple or isinstance(update[1], tf.Variable):  # two updates that are made
        return update
    return lambda: tf.keras.backend.update(*update)


def _without_inputs(original):
    def add(layer, values, *args, inputs=None, **options):
        return original(layer, values, **options)

    return add
