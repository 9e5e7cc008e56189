"""Layers, functions and callbacks of Keras as in TensorFlow 1 and Keras 2.2."""

import functools
import importlib
import inspect

import tensorflow as tf


def keras_module(path):
    """Return a module of Keras 2 that is not public."""
    package = tf.keras.Model.__module__.partition(".engine.")[0]
    return importlib.import_module(f"{package}.{path}")


def replace(owner, name, wrap):
    """Wrap an attribute of Keras, unless it is missing or was wrapped before."""
    if hasattr(owner, name):
        setattr(owner, name, wrapped_once(getattr(owner, name), wrap))


def wrapped_once(present, wrap):
    """Return a function or property in this wrapper, or as it is if it is in one already."""
    wrappers = getattr(getattr(present, "fget", present), "wrappers", ())
    if wrap.__name__ in wrappers:
        return present
    wrapped = wrap(present)
    function = getattr(wrapped, "fget", getattr(wrapped, "__func__", wrapped))
    function.wrappers = (*wrappers, wrap.__name__)
    return wrapped


def with_old_training(call_of_today):
    """Return a `call` of BatchNormalization that normalizes by the batch if it is frozen.

    It leaves the averages as they are. Since TensorFlow 2 it normalizes by them. A mask
    has no effect, as before Keras 2.13.
    """

    def call(self, inputs, training=None, mask=None):
        if training is None:
            training = tf.keras.backend.learning_phase()
        may_train = not isinstance(training, (bool, int)) or training
        if self.trainable or not may_train:
            return call_of_today(self, inputs, training=training)
        averages = [self.moving_mean, self.moving_variance]
        values = [tf.identity(average) for average in averages]
        self.trainable = True
        try:
            outputs = call_of_today(self, inputs, training=training)
        finally:
            self.trainable = False
        with tf.control_dependencies([outputs]):
            for average, value in zip(averages, values):
                average.assign(value)
        return outputs

    return call


def with_corners(resize_images):
    """Return a function that interpolates between the corners of pixels, as before TensorFlow 2."""

    def resize(x, height_factor, width_factor, data_format, interpolation="nearest"):
        if interpolation != "bilinear":
            return resize_images(
                x, height_factor, width_factor, data_format, interpolation
            )
        if data_format == "channels_first":
            x = tf.transpose(x, [0, 2, 3, 1])
        known = x.shape[1:3]
        size = (
            tf.constant(known.as_list())
            if known.is_fully_defined()
            else tf.shape(x)[1:3]
        )
        x = tf.compat.v1.image.resize_bilinear(x, size * [height_factor, width_factor])
        return tf.transpose(x, [0, 3, 1, 2]) if data_format == "channels_first" else x

    return resize


def with_all_dimensions(_):
    """Return a function that multiplies matrices for each index of all dimensions before them.

    Since Keras 2.3 only the first dimension is that of a batch.
    """

    def batch_dot(x, y, axes=None):
        ranks = len(x.shape), len(y.shape)
        rank, more = max(ranks), abs(ranks[0] - ranks[1])
        if axes is None:
            axes = ranks[0] - 1, ranks[1] - 2
        of_x, of_y = (axes, axes) if isinstance(axes, int) else axes
        if rank == 2:
            x = x if of_x == of_y else tf.transpose(x)
            sums = tf.reduce_sum(x * y, of_y)
            return tf.expand_dims(sums, 1)
        ones = tf.ones([more], tf.int32)
        if ranks[0] < rank:
            x = tf.reshape(x, tf.concat([tf.shape(x), ones], 0))
        elif ranks[1] < rank:
            y = tf.reshape(y, tf.concat([tf.shape(y), ones], 0))
        product = tf.matmul(
            x, y, adjoint_a=of_x != rank - 1, adjoint_b=of_y == rank - 1
        )
        if more:
            first = ranks[0] + ranks[1] - 3 if ranks[0] > ranks[1] else ranks[0] - 1
            product = tf.squeeze(product, [*range(first, first + more)])
        return tf.expand_dims(product, 1) if len(product.shape) == 1 else product

    return batch_dot


def of_the_call(learning_phase):
    """Return a function that tells whether the layer that calls it trains.

    The phase of today is one for all layers, which `fit` does not set.
    """
    call_context = keras_module("engine.base_layer_utils").call_context

    def phase_of_call():
        call = call_context()
        is_eager = tf.compat.v1.executing_eagerly_outside_functions()
        if not is_eager or not call.in_call:
            return learning_phase()
        is_training = learning_phase() if call.training is None else call.training
        return tf.cast(is_training, tf.bool)

    return phase_of_call


def with_phase(function):
    """Return a `K.function` that takes the learning phase among its inputs."""

    def with_or_without(inputs, outputs, *args, **options):
        tensors = list(inputs)
        phases = [at for at, one in enumerate(tensors) if isinstance(one, int)]
        if not phases:
            return function(inputs, outputs, *args, **options)
        tensors.pop(phases[0])
        model = tf.keras.Model(tensors, outputs)

        def compute(values):
            given = list(values)
            is_training = bool(given.pop(phases[0]))
            found = model([tf.convert_to_tensor(one) for one in given], is_training)
            arrays = [one.numpy() for one in tf.nest.flatten(found)]
            return arrays if isinstance(outputs, (list, tuple)) else arrays[0]

        return compute

    return with_or_without


def with_old_mode(initialize):
    """Return a constructor of `EarlyStopping` that looks for `acc` in the name of a metric.

    The best value of such a metric is the greatest, and of any other one the least.
    """
    signature = inspect.signature(initialize)

    def __init__(self, *args, **kwargs):
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        if given.arguments["mode"] not in ("min", "max"):
            is_best_greatest = "acc" in given.arguments["monitor"]
            given.arguments["mode"] = "max" if is_best_greatest else "min"
        initialize(*given.args, **given.kwargs)

    return __init__


def use_old_recurrent_layers():
    """Give LSTM, GRU and their cells the defaults of TensorFlow 1 and Keras 2.2."""
    for change in recurrent_layers():
        replace(*change)


def recurrent_layers():
    """Yield each class of recurrent layers, the name of its constructor, and its wrapper."""
    layers = tf.keras.layers
    for kind in (layers.LSTM, layers.LSTMCell, layers.GRU, layers.GRUCell):
        yield kind, "__init__", with_old_defaults


def with_old_defaults(initialize):
    """Return a constructor of recurrent layers with the old defaults."""
    signature = inspect.signature(initialize)
    old = {"recurrent_activation": "hard_sigmoid", "reset_after": False}

    @functools.wraps(initialize)
    def __init__(self, *args, **kwargs):
        given = signature.bind(self, *args, **kwargs).arguments
        missing = {name for name in old if name in signature.parameters} - given.keys()
        initialize(self, *args, **{**kwargs, **{name: old[name] for name in missing}})

    return __init__
