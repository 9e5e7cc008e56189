"""The table of replacements for old names of TensorFlow, ``tf.keras`` and NumPy.

Most names are rows of ``pedl2det_names``. This module adds replacements for names without a
successor, and wrappers for functions with changed behavior. ``pedl.idioms`` installs them while an
old trial is loaded.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pedl import old_images, old_models, old_numpy, old_phase, old_sessions, old_train
from pedl.old_backend import multi_gpu_model
from pedl.old_keras import OLD_DEFAULTS
from pedl.old_names import HiddenPackage, OldPackage, old_name
from pedl.old_signatures import renaming, with_defaults, with_schedules
from pedl.old_tensorflow import old_dimensions, old_iterator
from pedl2det_names import TF_OPTIMIZERS, Age, lookup, rows
from pedl2det_names.contrib import CONTRIB


@dataclass(frozen=True)
class Idiom:
    """An old name and its replacement.

    Attributes:
        module: the module or class that has the name; ``{keras}`` is the package of Keras 2.
        name: the name.
        served_by: returns the replacement; its argument is the imported TensorFlow.
        why: what fails or differs without the replacement.
        only_if_missing: install the replacement only if this version lacks the name.
        wraps: ``served_by`` returns a wrapper, which is called with the present object and returns
            the replacement.
        ages: the ages of code for which to install the replacement.
    """

    module: str
    name: str
    served_by: Callable[[Any], Any]
    why: str
    only_if_missing: bool = False
    wraps: bool = False
    ages: frozenset[Age] = frozenset({Age.TENSORFLOW_1, Age.TENSORFLOW_2})


_TENSORFLOW_1 = frozenset({Age.TENSORFLOW_1})


def _legacy_optimizer(module: str, name: str) -> Idiom:
    return Idiom(
        module,
        name,
        lambda tf: getattr(tf.keras.optimizers.legacy, name),
        "since Keras 2.11 lr= is ignored with a warning and decay= raises",
    )


def _old_layer(name: str) -> Idiom:
    return Idiom(
        "tensorflow.keras.layers",
        name,
        lambda tf: with_defaults(getattr(tf.keras.layers, name), OLD_DEFAULTS[name]),
        "TensorFlow 1 had other defaults, as standalone Keras had",
        ages=_TENSORFLOW_1,
    )


def _legacy_get(tf: Any) -> Callable[..., Any]:
    """Return ``optimizers.get`` with legacy optimizers for names."""
    original = inspect.unwrap(tf.keras.optimizers.get)

    @functools.wraps(original)
    def legacy_get(identifier: Any, **kwargs: Any) -> Any:
        return original(identifier, **{"use_legacy_optimizer": True, **kwargs})

    return legacy_get


def _object_of(module: str, name: str) -> Callable[[Any], Any]:
    """Return a function that returns an object of a module that imports TensorFlow."""
    return lambda _: getattr(importlib.import_module(module), name)


def _missing(dotted: str, served_by: Callable[[Any], Any], why: str) -> Idiom:
    module, _, name = dotted.rpartition(".")
    return Idiom(module, name, served_by, why, only_if_missing=True)


def _wrapped(module: str, name: str, wrap: Callable[[Any], Any], why: str) -> Idiom:
    """Wrap a function to behave as it did before, for code of any age."""
    return Idiom(module, name, lambda _: wrap, why, wraps=True)


def _wrapped_tf1(module: str, name: str, wrap: Callable[[Any], Any], why: str) -> Idiom:
    """Wrap a function to behave as in TensorFlow 1, for code of that age."""
    return Idiom(module, name, lambda _: wrap, why, wraps=True, ages=_TENSORFLOW_1)


def _with_old_parameters() -> Iterator[Idiom]:
    """Yield wrappers of the functions whose parameters were renamed."""
    for row in rows():
        if row.changed and row.old == row.new and row.keywords:
            module, _, name = row.old.rpartition(".")
            wrap = functools.partial(renaming, row.keywords)
            yield _wrapped_tf1(module, name, wrap, "some parameters have other names")


#: Replacements of removed names without a successor.
_WITHOUT_SUCCESSOR = (
    _missing(
        "tensorflow.Session",
        _object_of("pedl.old_sessions", "EagerSession"),
        "loaders evaluate tensors in a session; in eager mode they have their values",
    ),
    _missing(
        "tensorflow.__getattr__",
        functools.partial(HiddenPackage, CONTRIB),
        "the package was removed; some of its names have moved",
    ),
    *(
        _missing(
            dotted,
            functools.partial(OldPackage, dotted),
            "the package was removed; some of its names have moved",
        )
        for dotted in (
            "tensorflow.keras.mixed_precision.experimental",
            "tensorflow.keras.wrappers",
            "tensorflow.python.distribute.distribution_strategy_context",
        )
    ),
    *(
        _missing(
            f"tensorflow.train.{name}",
            functools.partial(old_train.optimizer, name),
            "Keras accepts only optimizers of tf.keras",
        )
        for name in old_train.NAMES
    ),
    *(
        _missing(
            f"tensorflow.keras.backend.{name}",
            _object_of("pedl.old_sessions", name),
            "there are no sessions outside of graph mode",
        )
        for name in ("get_session", "set_session")
    ),
    _missing(
        "tensorflow.keras.utils.multi_gpu_model", lambda _: multi_gpu_model, "one device trains"
    ),
    *(
        _missing(
            f"tensorflow.data.Dataset.{name}",
            functools.partial(old_iterator, name),
            "a session read the next batch on each run; the error says what to write",
        )
        for name in ("make_one_shot_iterator", "make_initializable_iterator")
    ),
)


def _renamed() -> Iterator[Idiom]:
    """Yield replacements for the names of the table: successors, or errors that name them."""
    own = {CONTRIB, *(f"{idiom.module}.{idiom.name}" for idiom in _WITHOUT_SUCCESSOR)}
    for row in rows():
        module, _, _ = row.old.rpartition(".")
        if row.old in own or lookup(module) is not None:
            continue  # the replacement of the module has the name
        if module == "numpy":
            yield _missing(row.old, lambda _, row=row: old_numpy.old_name(row), row.write)  # type: ignore[misc]
        elif row.old.startswith("tensorflow."):
            yield _missing(row.old, functools.partial(old_name, row), row.write)


#: Installed for trials whose layers are those of standalone Keras.
NAMES_FROM_ONE = tuple(
    Idiom(
        f"{{keras}}.src.engine.{kind}",
        "_init_set_name",
        _object_of("pedl2det_legacy.layer_names", "from_one"),
        "layers of standalone Keras were counted from 1",
        wraps=True,
    )
    for kind in ("base_layer.Layer", "base_layer_v1.Layer", "functional.Functional")
)

IDIOMS = (
    *_WITHOUT_SUCCESSOR,
    *_renamed(),
    Idiom(
        "tensorflow.nn",
        "dropout",
        lambda tf: tf.compat.v1.nn.dropout,
        "its second argument was the fraction to keep, and is the fraction to drop",
        ages=_TENSORFLOW_1,
    ),
    *_with_old_parameters(),
    Idiom(
        "tensorflow.python.framework.ops._EagerTensorBase",
        "eval",
        lambda _: old_sessions.evaluated,
        "tensor.eval() in a session",
        ages=_TENSORFLOW_1,
    ),
    _wrapped_tf1(
        "tensorflow.python.pywrap_tfe",
        "TFE_Py_FastPathExecute",
        old_sessions.reading_visibly,
        "a session computed tensors of variables anew",
    ),
    *(
        _wrapped_tf1(
            module, "eval", old_sessions.evaluating, "a tensor had the present values of variables"
        )
        for module in ("tensorflow.keras.backend", "{keras}.src.backend")
    ),
    *(_old_layer(name) for name in OLD_DEFAULTS),
    *(
        _legacy_optimizer(module, name)
        for module in ("tensorflow.keras.optimizers", "tensorflow.optimizers")
        for name in TF_OPTIMIZERS
    ),
    *(
        Idiom(
            module,
            "get",
            _legacy_get,
            "names such as compile(optimizer='rmsprop') resolve to legacy optimizers",
        )
        for module in ("tensorflow.keras.optimizers", "{keras}.src.optimizers")  # compile's own
    ),
    *(
        _wrapped("numpy", name, old_numpy.ragged, "ragged lists created an object array")
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
            lambda _: old_models.compiling,
            "names resolve to optimizers and losses of standalone Keras, for its models",
            wraps=True,
            ages=_TENSORFLOW_1,
        )
        for module in ("training", "training_v1")
    ),
    _wrapped(
        "{keras}.src.preprocessing.image.ImageDataGenerator",
        "__init__",
        old_images.warning,
        "its transformations have changed, which is said",
    ),
    _wrapped_tf1(
        "{keras}.src.engine.base_layer.Layer",
        "__call__",
        old_phase.calling,
        "K.set_learning_phase applies to layers",
    ),
    *(
        _missing(
            f"{{keras}}.src.engine.sequential.Sequential.{name}",
            lambda _, name=name: getattr(old_models, name),  # type: ignore[misc]
            "removed in TensorFlow 2.6",
        )
        for name in ("predict_classes", "predict_proba")
    ),
    _wrapped_tf1(
        "tensorflow.python.framework.tensor_shape.TensorShape",
        "__getitem__",
        old_dimensions,
        "a dimension of a shape had a value",
    ),
    _wrapped_tf1(
        "tensorflow.keras.backend",
        "set_learning_phase",
        old_phase.setting,
        "it applied to fit and evaluate",
    ),
    Idiom(
        "{keras}.src.layers.normalization.batch_normalization.BatchNormalizationBase",
        "call",
        _object_of("pedl2det_legacy.old_batch_norm", "with_old_training"),
        "a frozen layer normalized by the batch in training, and kept its averages",
        wraps=True,
        ages=_TENSORFLOW_1,
    ),
)
