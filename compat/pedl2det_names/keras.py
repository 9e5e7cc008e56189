"""Names of standalone Keras, TensorFlow's private copies of Keras, and ``tf.keras``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pedl2det_names.keras_arguments import (
    CONVOLUTIONS,
    LAYER_DEFAULTS,
    STANDALONE_DEFAULTS,
    STANDALONE_PARAMETERS,
    TF_OPTIMIZERS,
)
from pedl2det_names.keras_paths import (
    ALIASES,
    PACKAGES,
    PATHS,
    PUBLIC,
    SCIKIT,
    SUPPORTED,
    WRITE,
    old_path,
)
from pedl2det_names.name import KERAS_2_11, TENSORFLOW_2, Name, gone, pairs, table

KERAS = "tensorflow.keras"

_V1 = "tensorflow.compat.v1.keras"
_MIXED = f"{KERAS}.mixed_precision"
_RATE = {"lr": "learning_rate"}
_NO_PUBLIC_NAME = "tf.keras has no public name for it: write what it did without it"
_LEGACY_NAMES = "names resolved to optimizers of tf.keras.optimizers.legacy"
_DEFAULTS = "TensorFlow 1 and standalone Keras had other defaults"
_PHASE = "pass training= where a layer is called: fit and evaluate ignore the global phase"
_POLICY = "use tf.keras.mixed_precision, whose set_global_policy was set_policy"
_GPU = "it runs only on GPUs; on a CPU use "

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


def _same_place(path: str, since: str, same: bool, write: str, **more: Any) -> Name:
    """Return the row of a name of ``tf.keras`` that exists today with another meaning."""
    place = f"{KERAS}.{path}"
    return Name(place, place, since, same, write, changed=True, **more)


#: Names of ``tf.keras`` that were removed or have another meaning today.
ROWS = table(
    *(
        Name(
            f"{module}.{name}",
            f"{KERAS}.optimizers.legacy.{name}",
            KERAS_2_11,
            write="since Keras 2.11 lr= is ignored with a warning and decay= raises",
            keywords=_RATE,
            changed=True,
        )
        for module in (f"{KERAS}.optimizers", "tensorflow.optimizers")
        for name in TF_OPTIMIZERS
    ),
    *(
        _same_place(f"layers.{name}", TENSORFLOW_2, True, _DEFAULTS, defaults=defaults)
        for name, defaults in LAYER_DEFAULTS.items()
    ),
    _same_place("optimizers.get", KERAS_2_11, False, _LEGACY_NAMES, support="optimizer"),
    Name(
        *(f"{KERAS}.backend.get_session", f"{_V1}.backend.get_session", TENSORFLOW_2, False),
        "values need no session: tensor.numpy()",
        support="get_session",
    ),
    Name(
        *(f"{KERAS}.backend.set_session", f"{_V1}.backend.set_session", TENSORFLOW_2, True),
        "nothing: session_config configures the session",
        support="set_session",
    ),
    replace(gone(f"{KERAS}.backend.set_learning_phase", _PHASE, since=TENSORFLOW_2), changed=True),
    gone(f"{KERAS}.utils.multi_gpu_model", "use the model itself", "multi_gpu_model"),
    *(
        Name(f"{KERAS}.layers.{name}", f"{_V1}.layers.{name}", TENSORFLOW_2, write=_GPU + plain)
        for name, plain in (
            ("CuDNNGRU", "GRU(recurrent_activation='sigmoid', reset_after=True)"),
            ("CuDNNLSTM", "LSTM(recurrent_activation='sigmoid'), which has one bias for its two"),
        )
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
    Name(f"{KERAS}.premade", f"{KERAS}.experimental"),
    *(
        Name(f"{KERAS}.premade.{name}", f"{KERAS}.experimental.{name}")
        for name in ("LinearModel", "WideDeepModel")
    ),
    *(
        Name(f"{KERAS}.initializers.{old}", f"{KERAS}.initializers.{new}", TENSORFLOW_2)
        for old, new in (("normal", "RandomNormal"), ("uniform", "RandomUniform"))
    ),
    Name(f"{_MIXED}.experimental", _MIXED, same=False, write=_POLICY),
    *(
        Name(f"{_MIXED}.experimental.{old}", f"{_MIXED}.{new}")
        for old, new in pairs("set_policy>set_global_policy Policy global_policy").items()
    ),
    Name(
        f"{_MIXED}.experimental.LossScaleOptimizer",
        f"{_MIXED}.LossScaleOptimizer",
        same=False,
        write="the scale was one argument: it is dynamic and initial_scale today",
        support="scale_loss",
    ),
    *(gone(f"{KERAS}.{path}", write) for path, write in _GONE.items()),
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
    if path in _ELSEWHERE:
        return _ELSEWHERE[path]
    piece = "legacy_interface" if module == "legacy.interfaces" else None
    if piece := SUPPORTED.get(module, {}).get(name, piece):
        return gone(path, _NO_PUBLIC_NAME, piece)
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
            write="clipnorm= limits the global norm of all gradients",
            parameters=STANDALONE_PARAMETERS[name],
            defaults=STANDALONE_DEFAULTS.get(name, {}),
        )
    if module == "layers" and name in CONVOLUTIONS:
        write = f"{CONVOLUTIONS[name]} numbers after the filters are the size of the kernel"
        return Name(public, public, write=write)
    write, support = "", None
    if (module, name) == ("optimizers", "get"):
        write, support = "names resolved to optimizers of Keras 2.2.4", "optimizer"
    elif module in ("losses", "metrics") and name in ("hinge", "squared_hinge"):
        write = "labels of 0 and 1 were not converted to -1 and 1"
    elif module in ("losses", "metrics") and name == "get":
        write = "'hinge' and 'cosine' resolved to other functions"
    return Name(public, public, same=False, write=write, support=support) if write else None


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
            if row and module and row != _moved(module, name):
                yield row


def _moved(module: Name, name: str) -> Name:
    """Return the row of a name that moved together with its module."""
    return replace(module, old=f"{module.old}.{name}", new=f"{module.new}.{name}")
