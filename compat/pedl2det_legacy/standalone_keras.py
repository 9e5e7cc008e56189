"""Losses and optimizers of standalone Keras 2.2.4 that differ today."""

import functools
import inspect

import tensorflow as tf


def hinge(y_true, y_pred):
    """`keras.losses.hinge` of Keras 2.2.4, which took labels of 0 and 1 as they are."""
    margin = 1.0 - tf.cast(y_true, y_pred.dtype) * y_pred
    return tf.keras.backend.mean(tf.maximum(margin, 0.0), axis=-1)


def squared_hinge(y_true, y_pred):
    """`keras.losses.squared_hinge` of Keras 2.2.4, which took labels of 0 and 1 as they are."""
    margin = 1.0 - tf.cast(y_true, y_pred.dtype) * y_pred
    return tf.keras.backend.mean(tf.square(tf.maximum(margin, 0.0)), axis=-1)


def cosine_proximity(y_true, y_pred):
    """`keras.losses.cosine_proximity` of Keras 2.2.4: -1 is the best, also as a metric."""
    y_true = tf.math.l2_normalize(tf.cast(y_true, y_pred.dtype), axis=-1)
    y_pred = tf.math.l2_normalize(y_pred, axis=-1)
    return -tf.keras.backend.sum(y_true * y_pred, axis=-1)


#: The losses of Keras 2.2.4 that differ today, by their names.
STANDALONE_LOSSES = {
    "hinge": hinge,
    "squared_hinge": squared_hinge,
    "cosine_proximity": cosine_proximity,
    "cosine": cosine_proximity,
}


def standalone_losses(identifiers):
    """Replace names of losses or metrics by the functions of Keras 2.2.4 that differ today.

    They may be in a list, tuple or dict.
    """

    def of_its_time(one):
        return STANDALONE_LOSSES.get(one, one) if isinstance(one, str) else one

    return tf.nest.map_structure(of_its_time, identifiers)


class Initializer(tf.keras.initializers.Initializer):
    """`keras.initializers.Initializer`, whose dtype is a name; Keras 2.2.4 gave none."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        call = cls.__call__
        takes_dtype = "dtype" in inspect.signature(call).parameters

        @functools.wraps(call)
        def call_by_name(self, shape, dtype=None, **options):
            if dtype is not None and takes_dtype:
                options["dtype"] = tf.as_dtype(dtype).name
            return call(self, shape, **options)

        cls.__call__ = call_by_name


class _Standalone:
    """An optimizer of Keras 2.2.4, which is called with its arguments of then."""

    def __init__(self, name, **defaults):
        self.name, self.defaults = name, defaults

    def __call__(self, *args, **options):
        kind = getattr(tf.keras.optimizers.legacy, self.name)
        return kind(**self.arguments_of_today(args, options))

    def arguments_of_today(self, args, options):
        """Return the arguments for the optimizer of today.

        In Keras 2.2.4, clipnorm limited the common norm of all gradients.
        """
        by_place = dict(zip(self.defaults, args))
        if len(args) > len(self.defaults) or by_place.keys() & options.keys():
            names = ", ".join(self.defaults)
            raise TypeError(f"{self.name}: expected the arguments {names}")
        options = {**self.defaults, **by_place, **options}
        options.setdefault("learning_rate", options.pop("lr"))
        for clip in ("clipnorm", "clipvalue"):
            if clip in options and not (options[clip] or 0) > 0:
                del options[clip]
        if "clipnorm" in options and "clipvalue" in options:
            raise ValueError(
                "clipnorm= and clipvalue= together are not supported: Keras 2.2.4 clipped "
                "by norm first, today's Keras clips by value first: keep one of them"
            )
        if "clipnorm" in options:
            options["global_clipnorm"] = options.pop("clipnorm")
        return options


SGD = _Standalone("SGD", lr=0.01, momentum=0.0, decay=0.0, nesterov=False)
RMSprop = _Standalone("RMSprop", lr=0.001, rho=0.9, epsilon=None, decay=0.0)
#: Its sums began at 0.
Adagrad = _Standalone(
    "Adagrad", lr=0.01, epsilon=None, decay=0.0, initial_accumulator_value=0.0
)
Adadelta = _Standalone("Adadelta", lr=1.0, rho=0.95, epsilon=None, decay=0.0)
Adam = _Standalone(
    "Adam", lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0.0, amsgrad=False
)
Adamax = _Standalone(
    "Adamax", lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0.0
)
Nadam = _Standalone(
    "Nadam", lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, schedule_decay=4e-3
)


def standalone_base(kind):
    """Return an optimizer's class with the arguments of Keras 2.2.4."""
    make = standalone_optimizer_class(kind.__name__)

    class Optimizer(kind):
        def __init__(self, *args, **kwargs):
            super().__init__(**make.arguments_of_today(args, kwargs))

    Optimizer.__name__ = kind.__name__
    return Optimizer


def standalone_optimizer_class(name):
    """Return what `getattr(keras.optimizers, name)` was in Keras 2.2.4."""
    kinds = (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)
    by_name = {kind.name.lower(): kind for kind in kinds}
    if name not in ({kind.name for kind in kinds} | by_name.keys()):
        raise ValueError(f"Keras 2.2.4 had no optimizer {name!r}")
    return by_name[name.lower()]


def standalone_optimizer(identifier):
    """Return what `keras.optimizers.get(identifier)` was in Keras 2.2.4."""
    if isinstance(identifier, str):
        identifier = {"class_name": identifier, "config": {}}
    if isinstance(identifier, dict):
        name = identifier["class_name"]
        own = tf.keras.utils.get_custom_objects().get(name)
        make = own or standalone_optimizer_class(name.lower())
        return make(**identifier["config"])
    return identifier


def arguments_of_standalone_optimizer(options):
    """Return arguments of `compile` whose names mean what they meant in Keras 2.2.4."""
    options = dict(options)
    for name in ("loss", "metrics", "weighted_metrics"):
        if name in options:
            options[name] = standalone_losses(options[name])
    if "optimizer" in options:
        options["optimizer"] = standalone_optimizer(options["optimizer"])
    return options


def get_loss(identifier):
    """Return what `keras.losses.get(identifier)` was in Keras 2.2.4."""
    return tf.keras.losses.get(standalone_losses(identifier))


def get_metric(identifier):
    """Return what `keras.metrics.get(identifier)` was in Keras 2.2.4."""
    return tf.keras.metrics.get(standalone_losses(identifier))
