"""Module paths of standalone Keras and TensorFlow's private copy, below ``keras``."""

from __future__ import annotations

from dataclasses import dataclass

from pedl2det_names.keras_public import PUBLIC

#: Former names of the Keras package, longer names first.
ROOTS = (
    "tensorflow.contrib.keras.api.keras",
    "tensorflow.contrib.keras.python.keras",
    "tensorflow.contrib.keras",
    "tensorflow.python.keras.api._v1.keras",
    "tensorflow.python.keras.api._v2.keras",
    "tensorflow.python.keras",
    "keras",
)

#: Packages that were installed with Keras 2.2.4, and their paths below ``keras``.
PACKAGES = {"keras_preprocessing": "preprocessing", "keras_applications": "applications"}


@dataclass(frozen=True)
class Place:
    """The present location of an old module.

    Attributes:
        public: the module below ``tf.keras`` with its public names, or None.
        private: the module below the Keras package with all its names, or None.
    """

    public: str | None
    private: str | None = None


def _layers(*names: str) -> dict[str, Place]:
    return {f"layers.{name}": Place("layers") for name in names}


def _engine(*names: str) -> dict[str, Place]:
    return {f"engine.{name}": Place(None, f"src.engine.{name}") for name in names}


def _utils(*names: str) -> dict[str, Place]:
    return {f"utils.{name}": Place("utils", f"src.utils.{name}") for name in names}


def _optimizers(*names: str) -> dict[str, Place]:
    """Return the modules of ``optimizer_v2``, in ``keras.optimizers`` since Keras 2.9."""
    return {
        f"{package}.{name}": Place("optimizers.legacy", f"src.optimizers.legacy.{name}")
        for package in ("optimizer_v2", "optimizers.optimizer_v2")
        for name in names
    }


_SCHEDULES = Place("optimizers.schedules", "src.optimizers.schedules.learning_rate_schedule")

#: Modules that were removed or private.
MOVED: dict[str, Place] = {
    "applications.applications": Place("applications"),
    "backend.tensorflow_backend": Place("backend"),
    "callbacks.callbacks": Place("callbacks"),
    "callbacks_v1": Place("callbacks"),
    "datasets.cifar": Place(None, "src.datasets.cifar"),
    "engine": Place(None, "src.engine"),
    **_engine("base_layer", "data_adapter", "functional", "input_layer", "input_spec"),
    **_engine("sequential", "training", "training_utils", "training_v1"),
    "engine.network": Place(None, "src.engine.functional"),
    "engine.saving": Place("models"),
    "engine.topology": Place(None, "src.engine.base_layer"),
    "initializers.initializers_v1": Place("initializers"),
    "initializers.initializers_v2": Place("initializers"),
    "layers.preprocessing": Place("layers", "src.layers.preprocessing"),
    **_layers("advanced_activations", "convolutional", "convolutional_recurrent", "core"),
    **_layers("cudnn_recurrent", "dense_attention", "einsum_dense", "embeddings", "local"),
    **_layers("merge", "multi_head_attention", "noise", "normalization", "normalization_v2"),
    **_layers("pooling", "recurrent", "recurrent_v2", "wrappers"),
    **_layers("normalization.batch_normalization", "normalization.layer_normalization"),
    **{
        f"layers.preprocessing.{name}": Place("layers", f"src.layers.preprocessing.{name}")
        for name in ("image_preprocessing", "normalization", "text_vectorization")
    },
    "legacy": Place(None),
    "legacy.interfaces": Place(None),
    "mixed_precision.policy": Place("mixed_precision", "src.mixed_precision.policy"),
    "objectives": Place("losses"),
    "optimizer_v1": Place(None, "src.optimizers.optimizer_v1"),
    "optimizer_v2": Place("optimizers.legacy", "src.optimizers.legacy"),
    **_optimizers("adadelta", "adagrad", "adam", "adamax", "ftrl", "gradient_descent", "nadam"),
    **_optimizers("optimizer_v2", "rmsprop"),
    "optimizer_v2.learning_rate_schedule": _SCHEDULES,
    "optimizers.optimizer_v2": Place("optimizers.legacy", "src.optimizers.legacy"),
    "optimizers.optimizer_v2.learning_rate_schedule": _SCHEDULES,
    "optimizers.schedules.learning_rate_schedule": _SCHEDULES,
    "saving.hdf5_format": Place("models", "src.saving.legacy.hdf5_format"),
    "saving.save": Place("models"),
    "utils.all_utils": Place("utils"),
    **_utils("conv_utils", "data_utils", "generic_utils", "io_utils", "layer_utils"),
    **_utils("losses_utils", "metrics_utils", "np_utils", "tf_utils", "version_utils"),
    **_utils("vis_utils"),
    "utils.multi_gpu_utils": Place("utils"),
    "utils.training_utils": Place("utils"),
    "wrappers": Place(None),
    "wrappers.scikit_learn": Place(None),
}

#: Every module path of an old Keras.
PATHS: dict[str, Place] = {
    **{path: Place(path) for path in PUBLIC},
    **MOVED,
}

_OF_ENGINE = {
    "Container": "models.Model",
    "Functional": "models.Model",
    "Input": "layers.Input",
    "InputLayer": "layers.InputLayer",
    "InputSpec": "layers.InputSpec",
    "Layer": "layers.Layer",
    "Model": "models.Model",
    "Network": "models.Model",
    "Sequential": "models.Sequential",
}
_LOWER = ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "RMSprop", "SGD")

#: Additional names at a path, and their paths below ``tf.keras``.
ALIASES: dict[str, dict[str, str]] = {
    **{path: _OF_ENGINE for path in PATHS if path.partition(".")[0] == "engine"},
    "engine.data_adapter": {
        name: f"utils.{name}" for name in ("pack_x_y_sample_weight", "unpack_x_y_sample_weight")
    },
    "constraints": {
        "maxnorm": "constraints.max_norm",
        "nonneg": "constraints.non_neg",
        "unitnorm": "constraints.unit_norm",
    },
    "initializers": {
        "normal": "initializers.RandomNormal",
        "one": "initializers.Ones",
        "uniform": "initializers.RandomUniform",
        "zero": "initializers.Zeros",
    },
    "models": {"Input": "layers.Input"},
    "utils.losses_utils": {"ReductionV2": "losses.Reduction"},
    "optimizers": {name.lower(): f"optimizers.{name}" for name in _LOWER},
    "saving": {name: f"models.{name}" for name in ("model_from_config", "model_from_json")},
    **{
        f"{package}.optimizer_v2": {"OptimizerV2": "optimizers.legacy.Optimizer"}
        for package in ("optimizer_v2", "optimizers.optimizer_v2")
    },
}

_YAML = {"model_from_yaml": "use model_from_json: YAML could run code"}
_H5 = {"HDF5Matrix": "read the file with h5py, in a keras.utils.Sequence"}
_LAYERS = {
    "Merge": "use keras.layers.concatenate, add and their like",
    "Recurrent": "derive from keras.layers.RNN, or from a cell's layer",
}
_BACKEND = {"control_flow_ops": "use tf.cond and tf.while_loop"}

#: Unsupported names, and what to write instead.
UNSERVED: dict[str, dict[str, str]] = {
    **dict.fromkeys(("models", "saving"), _YAML),
    "optimizers": {"TFOptimizer": "use an optimizer of keras.optimizers"},
    "utils": _H5,
    "utils.io_utils": _H5,
    "wrappers.scikit_learn": {
        "KerasClassifier": "use scikeras, or train the model with fit",
        "KerasRegressor": "use scikeras, or train the model with fit",
    },
    **{path: _LAYERS for path, place in PATHS.items() if place.public == "layers"},
    **{path: _BACKEND for path, place in PATHS.items() if place.public == "backend"},
}

#: Decorators of ``keras.legacy.interfaces`` that translated the arguments of Keras 1.
INTERFACES = tuple(
    f"legacy_{name}_support"
    for name in (
        *("add_weight", "batchnorm", "conv1d", "conv2d", "conv3d", "convlstm2d", "cropping2d"),
        *("cropping3d", "deconv2d", "dense", "dropout", "embedding", "flatten", "gaussiandropout"),
        *("gaussiannoise", "generator_methods", "get_updates", "global_pooling", "input"),
        *("lambda", "localconv1d", "localconv2d", "model_constructor", "pooling1d", "pooling2d"),
        *("pooling3d", "prelu", "recurrent", "separable_conv2d", "spatialdropout1d"),
        *("spatialdropoutNd", "upsampling1d", "upsampling2d", "upsampling3d", "zeropadding2d"),
        "zeropadding3d",
    )
)

#: Names without a public successor, and what to write instead.
NOTES: dict[str, dict[str, str]] = {
    path: {
        "_get_available_gpus": "call tf.config.list_logical_devices('GPU')",
        "image_dim_ordering": "call image_data_format(), which returns 'channels_last' for 'tf'",
        "set_image_dim_ordering": "call set_image_data_format('channels_last') for 'tf'",
    }
    for path, place in PATHS.items()
    if place.public == "backend"
}

#: Names that a support piece of ``legacy_keras.py`` implements, and the name of the piece.
SUPPORTED: dict[str, dict[str, str]] = {
    "datasets.cifar": {"load_batch": "load_batch"},
    "engine.data_adapter": {"expand_1d": "expand_1d"},
    "legacy.interfaces": {
        "generate_legacy_interface": "legacy_interface",
        **dict.fromkeys(INTERFACES, "legacy_interface"),
    },
    "preprocessing.sequence": {"_remove_long_seq": "remove_long_seq"},
}

#: Private names that have moved to another private path; migrated code cannot use them.
PRIVATE: dict[str, dict[str, str]] = {
    "applications.imagenet_utils": {
        "_obtain_input_shape": "src.applications.imagenet_utils.obtain_input_shape"
    },
}


def old_path(dotted: str) -> tuple[str, str] | None:
    """Split a dotted name of an old Keras into its root and the path below it.

    Returns:
        The root and the path, or None if the name does not belong to an old Keras.
    """
    for root in ROOTS:
        if dotted == root:
            return root, ""
        if dotted.startswith(f"{root}."):
            return root, dotted[len(root) + 1 :]
    head, _, rest = dotted.partition(".")
    if head in PACKAGES:
        return head, ".".join(filter(None, (PACKAGES[head], rest)))
    return None
