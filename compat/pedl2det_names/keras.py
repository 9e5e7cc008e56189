"""Names of standalone Keras, TensorFlow's private copies of Keras, and ``tf.keras``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pedl2det_names.keras_arguments import (
    CONVOLUTIONS,
    LAYER_DEFAULTS,
    OPTIMIZERS,
    STANDALONE_RATES,
    TF_OPTIMIZERS,
)
from pedl2det_names.keras_paths import (
    ALIASES,
    NOTES,
    PACKAGES,
    PATHS,
    SUPPORTED,
    UNSERVED,
    old_path,
)
from pedl2det_names.keras_public import PUBLIC
from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2, Name, table

KERAS = "tensorflow.keras"

_RATE = {"lr": "learning_rate"}
_NO_PUBLIC_NAME = "tf.keras has no public name for it: write what it did without it"
_SINCE = {"keras": "Keras 3.0", **dict.fromkeys(PACKAGES, "Keras 2.3")}
_HINGE = "labels of 0 and 1 were not converted to -1 and 1"
_SCIKIT = "use scikeras, or train the model with fit"
_GET = "names resolved to optimizers of Keras 2.2.4"


def _tf_optimizer(name: str, module: str = f"{KERAS}.optimizers") -> Name:
    return Name(
        f"{module}.{name}",
        f"{KERAS}.optimizers.legacy.{name}",
        KERAS_2_11,
        write="since Keras 2.11 lr= is ignored with a warning and decay= raises",
        keywords=_RATE,
        changed=True,
    )


def _tf_layer(name: str) -> Name:
    return Name(
        f"{KERAS}.layers.{name}",
        f"{KERAS}.layers.{name}",
        TENSORFLOW_2,
        write="TensorFlow 1 and standalone Keras had other defaults",
        changed=True,
        defaults=LAYER_DEFAULTS[name],
    )


_DECAY = "write a tf.keras.optimizers.schedules.LearningRateSchedule, or use CosineDecay"
_SAVED = "use tf.keras.models.save_model and load_model"
_EXPERIMENTAL = {
    "LinearCosineDecay": ("TensorFlow 2.5", _DECAY),
    "NoisyLinearCosineDecay": ("TensorFlow 2.5", _DECAY),
    "PeepholeLSTMCell": ("TensorFlow 2.9", "use the cell of tensorflow_addons"),
    "export_saved_model": ("TensorFlow 2.4", _SAVED),
    "load_from_saved_model": ("TensorFlow 2.4", _SAVED),
}

#: Names of ``tf.keras`` that were removed or have another meaning today.
ROWS = table(
    *(_tf_optimizer(name) for name in TF_OPTIMIZERS),
    *(_tf_optimizer(name, "tensorflow.optimizers") for name in TF_OPTIMIZERS),
    *(_tf_layer(name) for name in LAYER_DEFAULTS),
    Name(
        f"{KERAS}.optimizers.get",
        f"{KERAS}.optimizers.get",
        KERAS_2_11,
        False,
        "names resolved to optimizers of tf.keras.optimizers.legacy",
        support="optimizer",
        changed=True,
    ),
    Name(
        f"{KERAS}.backend.get_session",
        f"{KERAS.replace('.', '.compat.v1.')}.backend.get_session",
        TENSORFLOW_2,
        False,
        "values need no session: tensor.numpy()",
        support="get_session",
    ),
    Name(
        f"{KERAS}.backend.set_session",
        f"{KERAS.replace('.', '.compat.v1.')}.backend.set_session",
        TENSORFLOW_2,
        write="nothing: session_config configures the session",
        support="set_session",
    ),
    Name(
        f"{KERAS}.backend.set_learning_phase",
        None,
        TENSORFLOW_2,
        False,
        "pass training= where a layer is called: fit and evaluate ignore the global phase",
        changed=True,
    ),
    Name(
        f"{KERAS}.utils.multi_gpu_model",
        None,
        "TensorFlow 2.4",
        False,
        "use the model itself",
        support="multi_gpu_model",
    ),
    *(
        Name(
            f"{KERAS}.layers.{name}",
            f"{KERAS.replace('.', '.compat.v1.')}.layers.{name}",
            TENSORFLOW_2,
            write=f"it runs only on GPUs; on a CPU use {plain}",
        )
        for name, plain in (
            ("CuDNNGRU", "GRU(recurrent_activation='sigmoid', reset_after=True)"),
            ("CuDNNLSTM", "LSTM(recurrent_activation='sigmoid'), which has one bias for its two"),
        )
    ),
    Name(
        f"{KERAS}.models.model_from_yaml",
        None,
        "TensorFlow 2.6",
        False,
        UNSERVED["models"]["model_from_yaml"],
        changed=True,
    ),
    Name(
        f"{KERAS}.utils.HDF5Matrix", None, "TensorFlow 2.4", False, UNSERVED["utils"]["HDF5Matrix"]
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
    Name(f"{KERAS}.premade", f"{KERAS}.experimental", "TensorFlow 2.6"),
    *(
        Name(f"{KERAS}.premade.{name}", f"{KERAS}.experimental.{name}", "TensorFlow 2.6")
        for name in ("LinearModel", "WideDeepModel")
    ),
    *(
        Name(f"{KERAS}.experimental.{name}", None, since, False, write)
        for name, (since, write) in _EXPERIMENTAL.items()
    ),
    *(
        Name(f"{KERAS}.initializers.{old}", f"{KERAS}.initializers.{new}", TENSORFLOW_2)
        for old, new in (("normal", "RandomNormal"), ("uniform", "RandomUniform"))
    ),
    Name(
        f"{KERAS}.mixed_precision.experimental",
        f"{KERAS}.mixed_precision",
        "TensorFlow 2.7",
        False,
        "use tf.keras.mixed_precision, whose set_global_policy was set_policy",
    ),
    Name(
        f"{KERAS}.mixed_precision.experimental.set_policy",
        f"{KERAS}.mixed_precision.set_global_policy",
        "TensorFlow 2.7",
    ),
    *(
        Name(
            f"{KERAS}.mixed_precision.experimental.{name}",
            f"{KERAS}.mixed_precision.{name}",
            "TensorFlow 2.7",
        )
        for name in ("Policy", "global_policy")
    ),
    Name(
        f"{KERAS}.mixed_precision.experimental.LossScaleOptimizer",
        f"{KERAS}.mixed_precision.LossScaleOptimizer",
        "TensorFlow 2.7",
        False,
        "the scale was one argument: it is dynamic and initial_scale today",
        support="scale_loss",
    ),
    *(
        Name(f"{KERAS}.{path}", None, "TensorFlow 2.13", False, _SCIKIT)
        for path in ("wrappers", "wrappers.scikit_learn")
    ),
    *(
        Name(f"{KERAS}.wrappers.scikit_learn.{name}", None, "TensorFlow 2.13", False, write)
        for name, write in UNSERVED["wrappers.scikit_learn"].items()
    ),
)


#: Names at a path of an old Keras whose successor is not at a path of ``tf.keras``.
_ELSEWHERE = {
    "__version__": Name("", f"{KERAS}.__version__", same=False, write="it was 2.2.4"),
    "backend.tf": Name("", "tensorflow"),
    "backend.tensorflow_backend.tf": Name("", "tensorflow"),
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
    since = _SINCE.get(
        root, "TensorFlow 2.6" if root.startswith("tensorflow.python") else TENSORFLOW_2
    )
    is_standalone = root == "keras" or root in PACKAGES
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
    if write := UNSERVED.get(module, {}).get(name) or NOTES.get(module, {}).get(name):
        return Name(path, None, same=False, write=write)
    if path in _ELSEWHERE:
        return _ELSEWHERE[path]
    if piece := SUPPORTED.get(module, {}).get(name):
        return Name(path, None, same=False, write=_NO_PUBLIC_NAME, support=piece)
    public = _public(module, name)
    if public is None:
        return Name(path, None, same=False, write=_NO_PUBLIC_NAME)
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
    if public is not None and name in PUBLIC[public]:
        return ".".join(part for part in (KERAS, public, name) if part)
    full = ".".join(part for part in (KERAS, public, name) if part)
    return full if full in ROWS else None


def _standalone(public: str) -> Name | None:
    """Return the row of a name that differs between standalone Keras 2.2.4 and ``tf.keras``."""
    module, _, name = public.removeprefix(f"{KERAS}.").rpartition(".")
    if module == "optimizers" and name in OPTIMIZERS:
        defaults = {"lr": STANDALONE_RATES[name]} if name in STANDALONE_RATES else {}
        if name == "Adagrad":
            defaults["initial_accumulator_value"] = "0.0"
        return Name(
            public,
            f"{KERAS}.optimizers.legacy.{name}",
            keywords={**_RATE, "clipnorm": "global_clipnorm"},
            write="clipnorm= limits the global norm of all gradients",
            parameters=tuple(OPTIMIZERS[name]),
            defaults={_RATE.get(key, key): value for key, value in defaults.items()},
        )
    if (module, name) == ("optimizers", "get"):
        return Name(public, public, same=False, write=_GET, support="optimizer")
    if module in ("losses", "metrics") and name in ("hinge", "squared_hinge"):
        return Name(public, public, same=False, write=_HINGE)
    if module in ("losses", "metrics") and name == "get":
        write = "'hinge' and 'cosine' resolved to other functions"
        return Name(public, public, same=False, write=write)
    if module == "layers" and name in CONVOLUTIONS:
        sizes = CONVOLUTIONS[name]
        write = f"{sizes} numbers after the filters are the size of the kernel"
        return Name(public, public, write=write)
    return None


def rows() -> Iterator[Name]:
    """Yield the rows of ``tf.keras``, and of modules and moved names of standalone Keras."""
    yield from ROWS.values()
    for path in PATHS:
        module = lookup(f"keras.{path}".rstrip("."))
        names = {*ALIASES.get(path, ()), *UNSERVED.get(path, ()), *SUPPORTED.get(path, ())}
        names |= NOTES.get(path, {}).keys()
        names |= PUBLIC.get(path, set())
        if module is not None:
            yield module
        for name in names:
            row = lookup(".".join(filter(None, ("keras", path, name))))
            if row and module and row != _moved(module, name):
                yield row


def _moved(module: Name, name: str) -> Name:
    """Return the row of a name that moved together with its module."""
    return replace(module, old=f"{module.old}.{name}", new=f"{module.new}.{name}")
