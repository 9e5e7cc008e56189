"""Every name that old code says and today's TensorFlow, Keras and NumPy lack, or mean otherwise.

``pedl.idioms`` puts them in place and takes them back.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from pedl import old_batch_norm, old_keras, old_models, old_numpy, old_phase
from pedl.old_backend import multi_gpu_model, sessions
from pedl.old_places import UNSERVED
from pedl.old_signatures import with_defaults, with_schedules
from pedl.old_tensorflow import EagerSession, Unserved, evaluated, old_iterator


@dataclass(frozen=True)
class Idiom:
    """A name that legacy code uses, and what serves it today.

    Attributes:
        module: the module or class on which the name is looked up; ``{keras}`` is the package of
            Keras 2.
        name: the name.
        served_by: gives the object, from the imported TensorFlow.
        why: what would go wrong without it.
        only_if_missing: leave what is there; the name is gone in some versions alone.
        wraps: what ``served_by`` gives is given what is there, and gives what takes its place.
    """

    module: str
    name: str
    served_by: Callable[[Any], Any]
    why: str
    only_if_missing: bool = False
    wraps: bool = False


_BATCH_NORM = "{keras}.src.layers.normalization.batch_normalization.BatchNormalizationBase"
_TRAIN_OPTIMIZERS = {
    "Adam": "Adam",
    "RMSProp": "RMSprop",
    "GradientDescent": "SGD",
    "Adagrad": "Adagrad",
    "Momentum": "SGD with momentum=",
    "Adadelta": "Adadelta",
    "Ftrl": "Ftrl",
}
_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")


def _legacy_optimizer(name: str) -> Idiom:
    return Idiom(
        "tensorflow.keras.optimizers",
        name,
        lambda tf: getattr(tf.keras.optimizers.legacy, name),
        "since Keras 2.11 lr= is ignored with a warning and decay= raises",
    )


def _old_layer(name: str) -> Idiom:
    return Idiom(
        "tensorflow.keras.layers",
        name,
        lambda tf: with_defaults(getattr(tf.keras.layers, name), old_keras.OLD_DEFAULTS[name]),
        "TensorFlow 1 had other defaults, as standalone Keras had",
    )


def _legacy_get(tf: Any) -> Callable[..., Any]:
    """``optimizers.get`` that finds an optimizer of the old kind for a name."""
    original = inspect.unwrap(tf.keras.optimizers.get)

    @functools.wraps(original)
    def legacy_get(identifier: Any, **kwargs: Any) -> Any:
        return original(identifier, **{"use_legacy_optimizer": True, **kwargs})

    return legacy_get


def _compat(dotted: str, why: str = "TensorFlow 2 has it in tf.compat.v1 alone") -> Idiom:
    module, _, name = f"tensorflow.{dotted}".rpartition(".")
    return Idiom(
        module,
        name,
        lambda tf: operator.attrgetter(dotted)(tf.compat.v1),
        why,
        only_if_missing=True,
    )


def _numpy(name: str, served: Any) -> Idiom:
    return Idiom(
        "numpy", name, lambda _: served, "gone since NumPy 1.24 or 2", only_if_missing=True
    )


def _unserved(dotted: str, instead: str) -> Idiom:
    module, _, name = f"tensorflow.{dotted}".rpartition(".")
    return Idiom(
        module,
        name,
        lambda _: Unserved(f"tf.{dotted}", instead),
        "the error says what to write",
        only_if_missing=True,
    )


def _wrapped(module: str, name: str, wrap: Callable[[Any], Any], why: str) -> Idiom:
    """A function of today in a form that does what it did."""
    return Idiom(module, name, lambda _: wrap, why, wraps=True)


def _old_gfile(tf: Any) -> Any:
    gfile = ModuleType("tensorflow.gfile", "tf.gfile of TensorFlow 1, served by tf.compat.v1.")
    names = (name for name in dir(tf.compat.v1.gfile) if not name.startswith("_"))
    gfile.__dict__.update({name: getattr(tf.compat.v1.gfile, name) for name in names})
    return gfile


IDIOMS = (
    _compat("ConfigProto", "in tf.compat.v1 alone; old annotations are evaluated at import"),
    *map(_compat, ("GPUOptions", "GraphKeys", "set_random_seed", "get_default_graph")),
    *map(_compat, ("global_variables_initializer", "logging", "log", "to_float", "to_int32")),
    *map(_compat, ("random_normal", "random_uniform", "truncated_normal", "flags", "app")),
    *map(_compat, ("VERSION", "GIT_VERSION", "Dimension", "RunOptions", "RunMetadata")),
    *map(_compat, ("OptimizerOptions", "enable_eager_execution", "reset_default_graph")),
    *map(_compat, ("local_variables_initializer", "tables_initializer", "py_func", "python_io")),
    *map(_compat, ("initialize_all_variables", "FixedLenFeature", "FixedLenSequenceFeature")),
    *map(_compat, ("VarLenFeature", "parse_example", "parse_single_example", "read_file")),
    *map(_compat, ("decode_raw", "decode_csv", "decode_base64", "encode_base64", "string_split")),
    *map(_compat, ("string_to_number", "substr", "regex_replace", "multinomial", "random_crop")),
    *map(_compat, ("random_shuffle", "sparse_to_dense", "sparse_tensor_to_dense", "to_int64")),
    *map(_compat, ("to_double", "div", "floordiv", "mod", "ceil", "rint", "log1p", "is_nan")),
    *map(_compat, ("is_inf", "is_finite", "check_numerics", "diag", "cross", "matrix_inverse")),
    *map(_compat, ("matrix_band_part", "setdiff1d", "invert_permutation", "space_to_depth")),
    *map(_compat, ("depth_to_space", "squared_difference", "unsorted_segment_sum")),
    *map(_compat, ("random.set_random_seed", "image.resize_images")),
    *map(_compat, ("image.resize_image_with_crop_or_pad", "image.resize_image_with_pad")),
    *map(_compat, ("losses.huber_loss", "losses.absolute_difference", "losses.log_loss")),
    *map(_compat, ("losses.softmax_cross_entropy", "losses.sigmoid_cross_entropy")),
    *map(_compat, ("losses.sparse_softmax_cross_entropy",)),
    *map(_compat, ("nn.softmax_cross_entropy_with_logits_v2", "nn.xw_plus_b")),
    Idiom(
        "tensorflow.nn",
        "dropout",
        lambda tf: tf.compat.v1.nn.dropout,
        "its second argument was the share that is kept, and is the share that is dropped",
    ),
    Idiom(
        "tensorflow",
        "Session",
        lambda _: EagerSession,
        "loaders evaluate tensors in a session; in eager mode they have their values",
        only_if_missing=True,
    ),
    Idiom(
        "tensorflow.python.framework.ops._EagerTensorBase",
        "eval",
        lambda _: evaluated,
        "tensor.eval() in a session",
    ),
    Idiom(
        "tensorflow",
        "gfile",
        _old_gfile,
        "tf.gfile.Exists, MakeDirs and Open have other names in tf.io.gfile",
        only_if_missing=True,
    ),
    *(_old_layer(name) for name in old_keras.OLD_DEFAULTS),
    *(_legacy_optimizer(name) for name in _OPTIMIZERS),
    *(
        Idiom(
            module,
            "get",
            _legacy_get,
            "compile(optimizer='rmsprop') means the optimizer that computed what it did in 2020",
        )
        for module in ("tensorflow.keras.optimizers", "{keras}.src.optimizers")  # compile's own
    ),
    *(_numpy(*alias) for alias in (("object", object), ("bool", bool), ("int", int))),
    *(_numpy(*alias) for alias in (("float", float), ("str", str), ("complex", complex))),
    *(_numpy(*alias) for alias in (("long", int), ("unicode", str), ("float_", np.float64))),
    *(_numpy(*alias) for alias in (("unicode_", np.str_), ("complex_", np.complex128))),
    *(_numpy(*alias) for alias in (("asscalar", old_numpy.asscalar), ("string_", np.bytes_))),
    *(
        _wrapped("numpy", name, old_numpy.ragged, "lists of several lengths made an object array")
        for name in ("array", "asarray")
    ),
    _wrapped(
        "{keras}.src.optimizers.legacy.optimizer_v2.OptimizerV2",
        "__init__",
        with_schedules,
        "lr= may be a schedule, as learning_rate= may",
    ),
    *(
        Idiom(
            f"{{keras}}.src.engine.{module}.Model",
            "compile",
            lambda tf: functools.partial(old_models.compiling, tf),
            "names mean the optimizers and losses of standalone Keras, for its models",
            wraps=True,
        )
        for module in ("training", "training_v1")
    ),
    _wrapped(
        "{keras}.src.engine.base_layer.Layer",
        "__call__",
        old_phase.calling,
        "layers keep to K.set_learning_phase",
    ),
    _wrapped(
        "tensorflow.keras.backend",
        "set_learning_phase",
        old_phase.setting,
        "it held for fit and evaluate",
    ),
    *(
        Idiom(
            "tensorflow.keras.backend",
            name,
            lambda tf, name=name: sessions(tf)[name],  # type: ignore[misc]
            "there are no sessions outside of graph mode",
            only_if_missing=True,
        )
        for name in ("get_session", "set_session")
    ),
    Idiom(
        "tensorflow.keras.utils",
        "multi_gpu_model",
        lambda _: multi_gpu_model,
        "one device trains",
        only_if_missing=True,
    ),
    _wrapped(
        _BATCH_NORM,
        "_get_training_value",
        old_batch_norm.training_value,
        "a frozen one normalised by the batch in training",
    ),
    *(
        _wrapped(_BATCH_NORM, name, old_batch_norm.unless_frozen, "a frozen one kept its averages")
        for name in ("_assign_moving_average", "_assign_new_value")
    ),
    *(
        Idiom(
            "tensorflow.data.Dataset",
            name,
            functools.partial(old_iterator, name),
            "a session drew the next batch each time it ran; the error says what to write",
        )
        for name in ("make_one_shot_iterator", "make_initializable_iterator")
    ),
    _unserved("contrib", "it went with TensorFlow 2; write what it did with tf.keras"),
    _unserved("layers", "use tf.keras.layers"),
    _unserved("placeholder", "use tf.keras.Input, or tf.compat.v1.placeholder in graph mode"),
    _unserved("get_variable", "use tf.Variable, or a layer of tf.keras"),
    _unserved("variable_scope", "use tf.name_scope"),
    _unserved("InteractiveSession", "values need no session: tensor.numpy()"),
    _unserved("get_default_session", "values need no session: tensor.numpy()"),
    _unserved("trainable_variables", "use trainable_variables of the model"),
    _unserved("global_variables", "use variables of the model"),
    _unserved("get_collection", "keep what you need in a list of your own"),
    *(
        _unserved(f"train.{name}Optimizer", f"use tf.keras.optimizers.{instead}")
        for name, instead in _TRAIN_OPTIMIZERS.items()
    ),
    *(
        _unserved(f"metrics.{name}", "use a class of tf.keras.metrics")
        for name in ("accuracy", "auc", "mean", "precision", "recall")
    ),
    *(
        _unserved(f"keras.layers.{name}", instead)
        for name, instead in UNSERVED["layers"].items()
        if name.startswith("CuDNN")
    ),
)
