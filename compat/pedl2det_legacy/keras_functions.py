"""What Keras, `tf.keras` and `tf.contrib` of TensorFlow 1.14 had, and is no more."""

import numbers
import pickle

import tensorflow as tf


def load_batch(fpath, label_key="labels"):
    """Read one file of CIFAR: images (records, 3, 32, 32), and their labels."""
    with open(fpath, "rb") as file:
        batch = pickle.load(file, encoding="bytes")
    batch = {key.decode("utf8"): value for key, value in batch.items()}
    return batch["data"].reshape(len(batch["data"]), 3, 32, 32), batch[label_key]


def multi_gpu_model(model, gpus=None, cpu_merge=True, cpu_relocation=False):
    """Return the model: each process of a trial trains on one device."""
    return model


def legacy_interface(function=None, **options):
    """Return the function: it is called with the arguments of Keras 2 already."""
    return legacy_interface if function is None else function


def expand_1d(data):
    """Return the data with tensors of one dimension as columns."""

    def column(tensor):
        is_flat = isinstance(tensor, tf.Tensor) and tensor.shape.rank == 1
        return tf.expand_dims(tensor, -1) if is_flat else tensor

    return tf.nest.map_structure(column, data)


def shuffled(dataset, seed):
    """Return a dataset in random order, anew in each pass over all of its records."""
    return dataset.shuffle(tf.data.UNKNOWN_CARDINALITY, seed=seed)


def scale_loss(optimizer, loss_scale="dynamic"):
    """Scale the loss as mixed_precision.experimental.LossScaleOptimizer did."""
    kind = tf.keras.mixed_precision.LossScaleOptimizer
    if loss_scale == "dynamic":
        return kind(optimizer)
    return kind(optimizer, dynamic=False, initial_scale=loss_scale)


def get_available_gpus():
    """Return the names of the GPUs."""
    return [device.name for device in tf.config.list_logical_devices("GPU")]


def image_dim_ordering():
    """Return `"tf"` for channels that come last, and `"th"` for those that come first."""
    return "tf" if tf.keras.backend.image_data_format() == "channels_last" else "th"


def set_image_dim_ordering(dim_ordering):
    """Choose where channels come, by such a name."""
    orders = {"tf": "channels_last", "th": "channels_first"}
    tf.keras.backend.set_image_data_format(orders.get(dim_ordering, dim_ordering))


def optimizer(identifier):
    """Return what `compile(optimizer=identifier)` meant before Keras 2.11; others as they are."""
    if not isinstance(identifier, (str, dict)):
        return identifier
    try:
        return tf.keras.optimizers.get(identifier, use_legacy_optimizer=True)
    except (KeyError, ValueError):  # what is compiled may be no model
        return identifier


def print_summary(model, *args, **options):
    """`keras.utils.print_summary`, which is a method of models today."""
    return model.summary(*args, **options)


def serve_old_arguments():
    """Let `lr=` and `decay=` make the optimizers that take them, those before Keras 2.11."""
    base = tf.keras.optimizers.experimental.Optimizer
    make = vars(base).get("__new__", lambda cls, *_, **__: object.__new__(cls))

    def new(cls, *args, **options):
        is_of_keras = cls is getattr(tf.keras.optimizers, cls.__name__, None)
        if is_of_keras and {"lr", "decay"} & options.keys():
            return getattr(tf.keras.optimizers.legacy, cls.__name__)(*args, **options)
        return make(cls, *args, **options)

    base.__new__ = new


def arguments_of_optimizer(options):
    """Return arguments of `compile` whose optimizer is what its name meant before Keras 2.11."""
    return {
        name: optimizer(value) if name == "optimizer" else value
        for name, value in options.items()
    }


class HParams:
    """Hyperparameters as attributes that keep their types, as in `tf.contrib.training`."""

    def __init__(self, **hparams):
        self._types = {}
        for name, value in hparams.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Add a hyperparameter; a list or tuple has values of one type."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        self._types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Change a hyperparameter; a value of another type is a ValueError."""
        kind, is_list = self._types[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f"{name} is {'' if is_list else 'not '}a list")
        values = [_of_type(kind, each) for each in (value if is_list else [value])]
        setattr(self, name, values if is_list else values[0])

    def override_from_dict(self, values_dict):
        """Change several hyperparameters."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def values(self):
        """Return the hyperparameters by name."""
        return {name: getattr(self, name) for name in self._types}

    def get(self, key, default=None):
        """Return a hyperparameter, or the default."""
        return self.values().get(key, default)

    def __contains__(self, key):
        return key in self._types


def _of_type(kind, value):
    """Return a value as another type that holds it without a loss."""
    if type(value) is kind or kind is type(None):
        return value
    kinds = (str, bytes), numbers.Integral, numbers.Number
    if (
        kind is bool
        or isinstance(value, bool)
        or any(issubclass(kind, each) and not isinstance(value, each) for each in kinds)
    ):
        raise ValueError(f"expected a value of type {kind.__name__}, got {value!r}")
    return kind(value)


class wrappers:
    """`keras.wrappers`, as a value: `scikit_learn`, its only module, is gone."""


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """Return the sum of the penalties of l1_regularizer and l2_regularizer."""
    return tf.keras.regularizers.l1_l2(scale_l1, 0.5 * scale_l2)


def l1_regularizer(scale, scope=None):
    """Return a penalty of `scale` times the sum of the absolute weights."""
    return tf.keras.regularizers.l1(scale)


def l2_regularizer(scale, scope=None):
    """Return a penalty of `scale` times half of the sum of the squared weights."""
    return tf.keras.regularizers.l2(0.5 * scale)


def variance_scaling_initializer(
    factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=tf.float32
):
    """Return an initializer of variance `factor / fan`; a normal one is cut at two deviations."""
    if uniform:
        kind = "uniform"
    else:  # Keras corrects the cut by 1 / 0.8796 ** 2 = 1.29, `tf.contrib` by 1.3
        kind, factor = "truncated_normal", 1.3 * 0.87962566103423978**2 * factor
    return tf.keras.initializers.VarianceScaling(factor, mode.lower(), kind, seed=seed)


def xavier_initializer(uniform=True, seed=None, dtype=tf.float32):
    """Return the initializer of Glorot and Bengio."""
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed)


#: The initializer of Glorot and Bengio, by its name for convolutions.
xavier_initializer_conv2d = xavier_initializer
