"""Names of standalone Keras, TensorFlow's private copies of Keras, and ``tf.keras``.

First what has changed of the arguments, then the module paths below ``keras``, then the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from pedl2det_names.name import (
    KERAS_2_11,
    TENSORFLOW_2,
    Age,
    Name,
    gone,
    lines_of,
    pairs,
    served,
    table,
)

_OLD_LSTM = {"recurrent_activation": '"hard_sigmoid"'}
_OLD_GRU = {**_OLD_LSTM, "reset_after": "False"}

#: Defaults of layers in TensorFlow 1 and in standalone Keras, as source text.
LAYER_DEFAULTS = {"GRU": _OLD_GRU, "GRUCell": _OLD_GRU, "LSTM": _OLD_LSTM, "LSTMCell": _OLD_LSTM}

_RANGES = ("rotation", "width_shift", "height_shift", "shear", "zoom")
#: Arguments of ``ImageDataGenerator`` whose transformations have changed, and how.
IMAGE_RANGES = tuple(f"{name}_range" for name in _RANGES)
IMAGES_DIFFER = (
    "the images differ from those of old Keras, which has since exchanged rows and columns in "
    "these transformations and moved their center by one pixel; see docs/tf1.md"
)

#: Optimizers whose old arguments and arithmetic are those of ``tf.keras.optimizers.legacy``.
TF_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")

#: The beginnings of the names that compute today what they did in TensorFlow 1, but for ``OTHERS``.
SAME, OTHERS = (
    tuple(f"{module}.{name}" for module, *names in lines_of(file) for name in names)
    for file in ("unchanged_keras.txt", "changed_keras.txt")
)

#: The version of Keras that code of an age was written for, by what it checks.
VERSIONS = {Age.TENSORFLOW_1: "2.2.4", Age.TENSORFLOW_2: "2.4.3"}

#: Constructor parameters of standalone Keras 2.2.4 in order.
STANDALONE_PARAMETERS = {name: tuple(names) for name, *names in lines_of("optimizers_keras.txt")}

#: Their defaults that differ today, as source text.
STANDALONE_DEFAULTS = {
    "Adadelta": {"learning_rate": "1.0"},
    "Adagrad": {"learning_rate": "0.01", "initial_accumulator_value": "0.0"},
    "Adamax": {"learning_rate": "0.002"},
    "Nadam": {"learning_rate": "0.002"},
}

#: Convolutions whose kernel sizes are separate arguments in Keras 1, and the number of sizes.
CONVOLUTIONS = {
    **dict.fromkeys(("Conv2D", "SeparableConv2D", "Conv2DTranspose"), 2),
    **dict.fromkeys(("Convolution2D", "SeparableConvolution2D", "Convolution2DTranspose"), 2),
    **dict.fromkeys(("ConvLSTM2D", "LocallyConnected2D"), 2),
    **dict.fromkeys(("Conv3D", "Convolution3D"), 3),
}

#: The arguments of Keras 1, which Keras 2.2.4 still took, by the layer or ``models.Model``: their
#: names today; None drops one without an effect.
KERAS_1: dict[str, dict[str, str | None]] = {
    name if "." in name else f"layers.{name}": {
        old: None if new == "-" else new for old, new in pairs(" ".join(renamed)).items()
    }
    for names, *renamed in lines_of("keras_1.txt")
    for name in names.split(",")
}

#: What each of these arguments is called today, by any layer that has it.
KERAS_1_NAMES: dict[str, list[str]] = {
    old: sorted({row[old] or "" for row in KERAS_1.values() if row.get(old)})
    for old in sorted({name for row in KERAS_1.values() for name in row if row[name]})
    if old not in ("input", "output")
}

#: The arguments of layers that have no effect today, by their classes.
KERAS_1_DROPPED = {
    name.removeprefix("layers."): [old for old in row if row[old] is None]
    for name, row in KERAS_1.items()
    if None in row.values()
}

#: The names of the sizes of a kernel, in Keras 1.
KERAS_1_SIZES = (("nb_row", "nb_col"), ("kernel_dim1", "kernel_dim2", "kernel_dim3"))

#: The values of their ``dim_ordering``, and those of ``data_format`` today; any other is None.
DATA_FORMATS = {"tf": "channels_last", "th": "channels_first"}

#: Groups of names of the same metric. TensorFlow 1 reported another name than the compiled one.
#: ``cosine`` is in none: its sign has changed.
METRIC_NAMES = tuple(map(tuple, lines_of("metrics_keras.txt")))

#: Other metrics whose names end with one of these names.
OTHER_METRICS = ("binary_accuracy", "categorical_accuracy", "root_mean_squared_error")

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
    """The present location of an old module."""

    public: str | None  #: the module below ``tf.keras`` with its public names, or None.
    private: str | None = None  #: the module below the Keras package with all its names, or None


def _moved() -> Iterator[tuple[str, Place]]:
    """Yield the old path and the present location of each module that was removed or private.

    A line of the list has their package (``.`` is Keras itself), the module below ``tf.keras`` with
    their public names, the package of their private modules today, and their names.
    """
    for package, public, private, *names in lines_of("moved_keras.txt"):
        for old, new in pairs(" ".join(names)).items():
            place = Place(
                None if public == "-" else public, None if private == "-" else f"{private}.{new}"
            )
            yield f"{package}.{old}".removeprefix(".."), place
            if package == "optimizer_v2":  # since Keras 2.9
                yield f"optimizers.{package}.{old}", place


#: Every module path of an old Keras.
PATHS: dict[str, Place] = {**{path: Place(path) for path in PUBLIC}, **dict(_moved())}

_ALIASES = {path: pairs(" ".join(names)) for path, *names in lines_of("aliases_keras.txt")}

#: Additional names at a path, and their paths below ``tf.keras``.
ALIASES: dict[str, dict[str, str]] = {
    **{path: _ALIASES["engine"] for path in PATHS if path.partition(".")[0] == "engine"},
    **_ALIASES,
    "optimizers": {name.lower(): f"optimizers.{name}" for name in STANDALONE_PARAMETERS},
}

SCIKIT = "use scikeras, or train the model with fit"
_YAML = {"model_from_yaml": "use model_from_json: YAML could run code"}
_H5 = {"HDF5Matrix": "read the file with h5py, in a keras.utils.Sequence"}
_LAYERS = {
    "Merge": "use keras.layers.concatenate, add and their like",
    "Recurrent": "derive from keras.layers.RNN, or from a cell's layer",
}
_BACKEND = {"control_flow_ops": "use tf.cond and tf.while_loop"}

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
    "": {"wrappers": "wrappers"},
    **{
        path: {
            "_get_available_gpus": "get_available_gpus",
            **{name: name for name in ("image_dim_ordering", "set_image_dim_ordering")},
        }
        for path, place in PATHS.items()
        if place.public == "backend"
    },
    "datasets.cifar": {"load_batch": "load_batch"},
    "engine.data_adapter": {"expand_1d": "expand_1d"},
    **{path: {"print_summary": "print_summary"} for path in ("utils", "utils.layer_utils")},
}

#: Names that a piece makes what they were in standalone Keras 2.2.4.
_STANDALONE_PIECES = pairs("optimizers.get>optimizer initializers.Initializer>Initializer")

#: Losses of standalone Keras 2.2.4 that were other functions, and their pieces.
_STANDALONE_LOSSES = {
    "cosine": "cosine_proximity",
    **{name: name for name in ("cosine_proximity", "hinge", "squared_hinge")},
}

#: Private names that have moved to another private path.
PRIVATE = {
    "applications.imagenet_utils": {
        "_obtain_input_shape": "src.applications.imagenet_utils.obtain_input_shape"
    },
    **{
        path: {"normalize_data_format": "src.utils.conv_utils.normalize_data_format"}
        for path in ("backend", "backend.common")
    },
    "layers": {"VersionAwareLayers": "src.layers.VersionAwareLayers"},
}


def old_path(dotted: str) -> tuple[str, str] | None:
    """Split a dotted name of an old Keras into its root and the path below it; None for others."""
    for root in ROOTS:
        if dotted == root:
            return root, ""
        if dotted.startswith(f"{root}."):
            return root, dotted[len(root) + 1 :]
    head, _, rest = dotted.partition(".")
    if head in PACKAGES:
        return head, ".".join(filter(None, (PACKAGES[head], rest)))
    return None


def private_path(dotted: str) -> str | None:
    """Return the path below the package of Keras 2 of a name of an old Keras, if it has one."""
    path = (old_path(dotted) or ("", ""))[1]
    module, _, name = path.rpartition(".")
    if moved := PRIVATE.get(module, {}).get(name):
        return moved
    for known, rest in ((path, ""), (module, f".{name}")):
        if private := PATHS.get(known, Place(None)).private:
            return f"{private}{rest}" if private.startswith("src.") else None
    return None


KERAS = "tensorflow.keras"

_V1 = "tensorflow.compat.v1.keras"
_MIXED = f"{KERAS}.mixed_precision"
_RATE = {"lr": "learning_rate"}
_NO_PUBLIC_NAME = "tf.keras has no public name for it: write what it did without it"
_PHASE = "pass training= where a layer is called: fit and evaluate ignore the global phase"

#: Names of ``tf.keras`` without a successor, and what to write instead.
_GONE = {
    "utils.HDF5Matrix": WRITE["utils"]["HDF5Matrix"],
    **dict.fromkeys(
        ("experimental.LinearCosineDecay", "experimental.NoisyLinearCosineDecay"),
        "write a tf.keras.optimizers.schedules.LearningRateSchedule, or use CosineDecay",
    ),
    "experimental.PeepholeLSTMCell": "use the cell of tensorflow_addons",
    **dict.fromkeys(
        ("experimental.export_saved_model", "experimental.load_from_saved_model"),
        "use tf.keras.models.save_model and load_model",
    ),
    **dict.fromkeys(("wrappers", "wrappers.scikit_learn"), SCIKIT),
    **{f"wrappers.scikit_learn.{name}": SCIKIT for name in WRITE["wrappers.scikit_learn"]},
}

#: Names of ``tf.keras`` that were removed or have another meaning today.
ROWS = table(
    *(
        Name(
            f"{module}.{name}",
            f"{KERAS}.optimizers.legacy.{name}",
            KERAS_2_11,
            keywords={"lr": None} if name == "Ftrl" else _RATE,  # which it never read
            changed=True,
        )
        for module in (f"{KERAS}.optimizers", "tensorflow.optimizers")
        for name in TF_OPTIMIZERS
    ),
    *(
        Name(
            *(f"{KERAS}.layers.{name}", f"{KERAS}.layers.{name}", TENSORFLOW_2),
            changed=True,
            defaults=defaults,
        )
        for name, defaults in LAYER_DEFAULTS.items()
    ),
    Name(
        *(f"{KERAS}.optimizers.get", f"{KERAS}.optimizers.get", KERAS_2_11, False),
        support="optimizer",
        changed=True,
    ),
    Name(
        *(f"{KERAS}.backend.get_session", f"{_V1}.backend.get_session", TENSORFLOW_2, False),
        support="get_session",
    ),
    Name(
        *(f"{KERAS}.backend.set_session", f"{_V1}.backend.set_session", TENSORFLOW_2, True),
        "nothing: session_config configures the session",
        support="set_session",
    ),
    replace(gone(f"{KERAS}.backend.set_learning_phase", _PHASE, since=TENSORFLOW_2), changed=True),
    served(f"{KERAS}.utils.multi_gpu_model"),
    *(
        Name(f"{KERAS}.layers.{name}", f"{_V1}.layers.{name}", TENSORFLOW_2)
        for name in ("CuDNNGRU", "CuDNNLSTM")
    ),
    replace(
        gone(f"{KERAS}.models.model_from_yaml", WRITE["models"]["model_from_yaml"]), changed=True
    ),
    *(
        Name(
            f"{KERAS}.{area}.{name}",
            f"{KERAS}.losses.cosine_similarity",
            TENSORFLOW_2,
            same,
            f"as a metric it is reported as cosine_similarity, and was as {name}",
        )
        for area, same in (("losses", True), ("metrics", False))
        for name in ("cosine", "cosine_proximity")
    ),
    *(
        Name(f"{KERAS}.premade{name}", f"{KERAS}.experimental{name}")
        for name in ("", ".LinearModel", ".WideDeepModel")
    ),
    *(
        Name(f"{KERAS}.initializers.{old}", f"{KERAS}.initializers.{new}", TENSORFLOW_2)
        for old, new in pairs("normal>RandomNormal uniform>RandomUniform").items()
    ),
    Name(
        *(f"{_MIXED}.experimental", _MIXED),
        same=False,
        write="use tf.keras.mixed_precision, whose set_global_policy was set_policy",
    ),
    *(
        Name(f"{_MIXED}.experimental.{old}", f"{_MIXED}.{new}")
        for old, new in pairs("set_policy>set_global_policy Policy global_policy").items()
    ),
    Name(
        f"{_MIXED}.experimental.LossScaleOptimizer",
        f"{_MIXED}.LossScaleOptimizer",
        same=False,
        support="scale_loss",
    ),
    *(gone(f"{KERAS}.{path}", write, SUPPORTED[""].get(path)) for path, write in _GONE.items()),
)

#: Names at a path of an old Keras whose successor is not at a path of ``tf.keras``.
ELSEWHERE = {
    "__version__": Name("", f"{KERAS}.__version__", same=False, write="it was 2.2.4"),
    "backend.tf": Name("", "tensorflow"),
    "backend.tensorflow_backend.tf": Name("", "tensorflow"),
    **{
        f"{module}.{old}": Name("", f"tensorflow.{new}")
        for module in ("backend", "backend.tensorflow_backend")
        for old, new in pairs(
            "_to_tensor>convert_to_tensor "
            "get_variable_shape>keras.backend.int_shape identity is_tensor "
            "logsumexp>reduce_logsumexp slice"
        ).items()
    },
}


def lookup(dotted: str) -> Name | None:
    """Return the row of a name of standalone Keras or of a private copy of Keras.

    A name at a known module path has a row even if ``tf.keras`` has no public name for it. Its
    ``new`` is None then.
    """
    split = old_path(dotted)
    if split is None:
        return None
    root, path = split
    is_standalone = root == "keras" or root in PACKAGES
    since = TENSORFLOW_2 if root.startswith("tensorflow.contrib") else ""
    row = _at(path, is_standalone)
    return replace(row, old=dotted, since=since, changed=False) if row else None


def _at(path: str, is_standalone: bool) -> Name | None:
    """Return the row of a path below an old Keras; its ``old`` is not set."""
    place = PATHS.get(path)
    if place is not None and place.public is not None:
        return Name(path, f"{KERAS}.{place.public}".rstrip("."))
    module, _, name = path.rpartition(".")
    if place is None and module not in PATHS:
        return None
    if write := WRITE.get(module, {}).get(name):
        return gone(path, write)
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    piece = "legacy_interface" if module == "legacy.interfaces" else None
    if piece := SUPPORTED.get(module, {}).get(name, piece):
        return served(path, piece)
    public = _public(module, name)
    if public is None:
        return gone(path, _NO_PUBLIC_NAME)
    if is_standalone and (row := _standalone(public)):
        return row
    v2 = module == "layers.recurrent_v2"
    return Name(path, public) if v2 else ROWS.get(public, Name(path, public))


def _public(module: str, name: str) -> str | None:
    """Return today's full public name of a name at a module path."""
    if alias := ALIASES.get(module, {}).get(name):
        return f"{KERAS}.{alias}"
    if module not in PATHS:
        return None
    public = PATHS[module].public
    full = ".".join(part for part in (KERAS, public, name) if part)
    is_public = public is not None and name in PUBLIC[public]
    return full if is_public or full in ROWS else None


def _standalone(public: str) -> Name | None:
    """Return the row of a name that differs between standalone Keras 2.2.4 and ``tf.keras``."""
    module, _, name = public.removeprefix(f"{KERAS}.").rpartition(".")
    if module == "optimizers" and name in STANDALONE_PARAMETERS:
        return Name(
            public,
            f"{KERAS}.optimizers.legacy.{name}",
            keywords={**_RATE, "clipnorm": "global_clipnorm"},
            parameters=STANDALONE_PARAMETERS[name],
            defaults=STANDALONE_DEFAULTS.get(name, {}),
        )
    if keywords := KERAS_1.get(f"{module}.{name}"):
        return replace(ROWS.get(public, Name(public, public)), keywords=keywords)
    if piece := _STANDALONE_PIECES.get(f"{module}.{name}"):
        return Name(public, public, same=False, support=piece)
    if module in ("losses", "metrics") and name in _STANDALONE_LOSSES:
        return Name(public, public, same=False, support=_STANDALONE_LOSSES[name])
    return None


def rows() -> Iterator[Name]:
    """Yield the rows of ``tf.keras``, and of modules and moved names of standalone Keras."""
    yield from ROWS.values()
    for path in PATHS:
        module = lookup(f"keras.{path}".rstrip("."))
        names = {name for names in (ALIASES, WRITE, SUPPORTED) for name in names.get(path, ())}
        if module is not None:
            yield module
        for name in names | PUBLIC.get(path, set()):
            row = lookup(".".join(filter(None, ("keras", path, name))))
            if row and module:
                moved = replace(module, old=f"{module.old}.{name}", new=f"{module.new}.{name}")
                if row != moved:  # the module's row says more, then
                    yield row
