"""Module paths of standalone Keras and TensorFlow's private copy, below ``keras``."""

from __future__ import annotations

from typing import NamedTuple

from pedl2det_names.name import lines_of, pairs

#: Names that exist but always raise an error.
_DEAD = {"models": {"model_from_yaml"}}

#: The public names of ``tf.keras`` in all supported TensorFlow versions, by module.
PUBLIC = {
    module: frozenset(names) - _DEAD.get(module, set())
    for first, *names in lines_of("keras_public.txt")
    for module in [first.removeprefix(".")]
}

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


class Place(NamedTuple):
    """The present location of an old module.

    Attributes:
        public: the module below ``tf.keras`` with its public names, or None.
        private: the module below the Keras package with all its names, or None.
    """

    public: str | None
    private: str | None = None


def _modules(package: str, public: str | None, below: str, names: str) -> dict[str, Place]:
    """Return the places of modules that have moved together.

    Args:
        package: their package below the old Keras.
        public: the module below ``tf.keras`` with their public names.
        below: the package of their private modules today, or an empty string.
        names: their names.
    """
    return {
        f"{package}.{name}": Place(public, f"{below}.{name}" if below else None)
        for name in names.split()
    }


_SCHEDULES = Place("optimizers.schedules", "src.optimizers.schedules.learning_rate_schedule")
_LEGACY = ("optimizers.legacy", "src.optimizers.legacy")

#: Modules that were removed or private.
MOVED: dict[str, Place] = {
    "applications.applications": Place("applications"),
    "backend.tensorflow_backend": Place("backend"),
    "callbacks.callbacks": Place("callbacks"),
    "callbacks_v1": Place("callbacks"),
    "datasets.cifar": Place(None, "src.datasets.cifar"),
    "engine": Place(None, "src.engine"),
    **_modules(
        *("engine", None, "src.engine"),
        "base_layer data_adapter functional input_layer input_spec sequential training "
        "training_utils training_v1",
    ),
    "engine.network": Place(None, "src.engine.functional"),
    "engine.saving": Place("models"),
    "engine.topology": Place(None, "src.engine.base_layer"),
    **_modules("initializers", "initializers", "", "initializers_v1 initializers_v2"),
    "layers.preprocessing": Place("layers", "src.layers.preprocessing"),
    **_modules(
        *("layers", "layers", ""),
        "advanced_activations convolutional convolutional_recurrent core cudnn_recurrent "
        "dense_attention einsum_dense embeddings local merge multi_head_attention noise "
        "normalization normalization_v2 pooling recurrent recurrent_v2 wrappers "
        "normalization.batch_normalization normalization.layer_normalization",
    ),
    **_modules(
        *("layers.preprocessing", "layers", "src.layers.preprocessing"),
        "image_preprocessing normalization text_vectorization",
    ),
    "legacy": Place(None),
    "legacy.interfaces": Place(None),
    "mixed_precision.policy": Place("mixed_precision", "src.mixed_precision.policy"),
    "objectives": Place("losses"),
    "optimizer_v1": Place(None, "src.optimizers.optimizer_v1"),
    **{
        path: place
        for package in ("optimizer_v2", "optimizers.optimizer_v2")  # the latter since Keras 2.9
        for path, place in {
            package: Place(*_LEGACY),
            **_modules(
                *(package, *_LEGACY),
                "adadelta adagrad adam adamax ftrl gradient_descent nadam optimizer_v2 rmsprop",
            ),
            f"{package}.learning_rate_schedule": _SCHEDULES,
        }.items()
    },
    "optimizers.schedules.learning_rate_schedule": _SCHEDULES,
    **{
        path: Place(path, f"src.{path}")
        for path in ("preprocessing.image", "preprocessing.sequence", "preprocessing.text")
    },
    "saving.hdf5_format": Place("models", "src.saving.legacy.hdf5_format"),
    "saving.save": Place("models"),
    **_modules("utils", "utils", "", "all_utils multi_gpu_utils training_utils"),
    **_modules(
        *("utils", "utils", "src.utils"),
        "conv_utils data_utils generic_utils io_utils layer_utils losses_utils metrics_utils "
        "np_utils tf_utils version_utils vis_utils",
    ),
    "wrappers": Place(None),
    "wrappers.scikit_learn": Place(None),
}

#: Every module path of an old Keras.
PATHS: dict[str, Place] = {**{path: Place(path) for path in PUBLIC}, **MOVED}

_OF_ENGINE = pairs("""
    Container>models.Model Functional>models.Model Model>models.Model Network>models.Model
    Sequential>models.Sequential Input>layers.Input InputLayer>layers.InputLayer
    InputSpec>layers.InputSpec Layer>layers.Layer
""")
_LOWER = ("Adadelta", "Adagrad", "Adam", "Adamax", "Nadam", "RMSprop", "SGD")

#: Additional names at a path, and their paths below ``tf.keras``.
ALIASES: dict[str, dict[str, str]] = {
    **{path: _OF_ENGINE for path in PATHS if path.partition(".")[0] == "engine"},
    "engine.data_adapter": {
        name: f"utils.{name}" for name in ("pack_x_y_sample_weight", "unpack_x_y_sample_weight")
    },
    "constraints": pairs(
        "maxnorm>constraints.max_norm nonneg>constraints.non_neg unitnorm>constraints.unit_norm"
    ),
    "initializers": pairs(
        "normal>initializers.RandomNormal uniform>initializers.RandomUniform "
        "one>initializers.Ones zero>initializers.Zeros"
    ),
    "models": {"Input": "layers.Input"},
    "utils.losses_utils": {"ReductionV2": "losses.Reduction"},
    "optimizers": {name.lower(): f"optimizers.{name}" for name in _LOWER},
    "saving": {name: f"models.{name}" for name in ("model_from_config", "model_from_json")},
    **{
        f"{package}.optimizer_v2": {"OptimizerV2": "optimizers.legacy.Optimizer"}
        for package in ("optimizer_v2", "optimizers.optimizer_v2")
    },
}

SCIKIT = "use scikeras, or train the model with fit"
_YAML = {"model_from_yaml": "use model_from_json: YAML could run code"}
_H5 = {"HDF5Matrix": "read the file with h5py, in a keras.utils.Sequence"}
_LAYERS = {
    "Merge": "use keras.layers.concatenate, add and their like",
    "Recurrent": "derive from keras.layers.RNN, or from a cell's layer",
}
_BACKEND = {
    "_get_available_gpus": "call tf.config.list_logical_devices('GPU')",
    "control_flow_ops": "use tf.cond and tf.while_loop",
    "image_dim_ordering": "call image_data_format(), which returns 'channels_last' for 'tf'",
    "set_image_dim_ordering": "call set_image_data_format('channels_last') for 'tf'",
}

#: Names without a public successor, and what to write instead.
WRITE: dict[str, dict[str, str]] = {
    **dict.fromkeys(("models", "saving"), _YAML),
    "optimizers": {"TFOptimizer": "use an optimizer of keras.optimizers"},
    "utils": _H5,
    "utils.io_utils": _H5,
    "wrappers.scikit_learn": dict.fromkeys(("KerasClassifier", "KerasRegressor"), SCIKIT),
    **{path: _LAYERS for path, place in PATHS.items() if place.public == "layers"},
    **{path: _BACKEND for path, place in PATHS.items() if place.public == "backend"},
}

#: Names that a support piece of ``legacy_keras.py`` implements, and the name of the piece.
SUPPORTED = {
    "datasets.cifar": {"load_batch": "load_batch"},
    "engine.data_adapter": {"expand_1d": "expand_1d"},
    "preprocessing.sequence": {"_remove_long_seq": "remove_long_seq"},
}

#: Private names that have moved to another private path; migrated code cannot use them.
PRIVATE = {
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
