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


def translating(kind, arguments):
    """Return a class like `kind` that takes the arguments of old code.

    In checks of types, and as a key, it stands for `kind`, of which Keras itself makes objects.
    """

    class InPlace(type(kind)):  # type: ignore[misc]
        def __instancecheck__(cls, instance):
            if cls is Old:
                return isinstance(instance, kind)
            return super().__instancecheck__(instance)

        def __subclasscheck__(cls, other):
            return (
                issubclass(other, kind)
                if cls is Old
                else super().__subclasscheck__(other)
            )

        def __eq__(cls, other):
            return other is cls or (cls is Old and other is kind)

        def __hash__(cls):
            return hash(kind) if cls is Old else super().__hash__()

    class Old(kind, metaclass=InPlace):  # type: ignore
        def __init__(self, *args, **options):
            args, options = arguments(*args, **options)
            super().__init__(*args, **options)

    Old.__name__, Old.__module__ = kind.__name__, kind.__module__
    Old.__qualname__ = kind.__name__
    return Old


def _standalone(kind, **defaults):
    """Return the class of an optimizer with its arguments in Keras 2.2.4.

    There, clipnorm limited the common norm of all gradients.
    """

    def arguments(*args, **options):
        by_place = dict(zip(defaults, args))
        if len(args) > len(defaults) or by_place.keys() & options.keys():
            names = ", ".join(defaults)
            raise TypeError(f"{kind}: expected the arguments {names}")
        options = {**defaults, **by_place, **options}
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
        return (), options

    return translating(getattr(tf.keras.optimizers.legacy, kind), arguments)


SGD = _standalone("SGD", lr=0.01, momentum=0.0, decay=0.0, nesterov=False)
RMSprop = _standalone("RMSprop", lr=0.001, rho=0.9, epsilon=None, decay=0.0)
#: Its sums began at 0.
Adagrad = _standalone(
    "Adagrad", lr=0.01, epsilon=None, decay=0.0, initial_accumulator_value=0.0
)
Adadelta = _standalone("Adadelta", lr=1.0, rho=0.95, epsilon=None, decay=0.0)
Adam = _standalone(
    "Adam", lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0.0, amsgrad=False
)
Adamax = _standalone(
    "Adamax", lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0.0
)
Nadam = _standalone(
    "Nadam", lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, schedule_decay=4e-3
)
STANDALONE_OPTIMIZERS = (SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)


def standalone_optimizer_class(name):
    """Return what `getattr(keras.optimizers, name)` was in Keras 2.2.4."""
    by_name = {kind.__name__: kind for kind in STANDALONE_OPTIMIZERS}
    by_name.update({name.lower(): kind for name, kind in by_name.items()})
    if name not in by_name:
        raise ValueError(f"Keras 2.2.4 had no optimizer {name!r}")
    return by_name[name]


def standalone_optimizer(identifier):
    """Return what `keras.optimizers.get(identifier)` was in Keras 2.2.4; others as they are."""
    named = identifier
    if isinstance(identifier, str):
        named = {"class_name": identifier, "config": {}}
    if not isinstance(named, dict):
        return identifier
    try:
        own = tf.keras.utils.get_custom_objects().get(named["class_name"])
        make = own or standalone_optimizer_class(named["class_name"].lower())
    except (KeyError, ValueError):  # what is compiled may be no model
        return identifier
    return make(**named["config"])


def arguments_of_standalone_optimizer(options):
    """Return arguments of `compile` whose names mean what they meant in Keras 2.2.4."""
    options = dict(options)
    if "optimizer" in options:
        options["optimizer"] = standalone_optimizer(options["optimizer"])
    return options
