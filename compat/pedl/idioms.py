"""What TensorFlow 1, old Keras and old NumPy offered and legacy code still says.

``IDIOMS`` is the whole list of names, ``pedl.old_keras`` that of module paths. They are put in
place when ``pedl.frameworks.keras`` is imported, which ``pedl2det run`` does before it loads an old
trial; ``deactivate`` takes them back. Migrated code says what it means in its own text.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from pedl import old_keras
from pedl.old_tensorflow import EagerSession, Unserved, evaluated
from pedl2det_runtime import keras_versions
from pedl2det_runtime.errors import WrongKerasError


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
    """

    module: str
    name: str
    served_by: Callable[[Any], Any]
    why: str
    only_if_missing: bool = False


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
        lambda tf: old_keras.with_defaults(
            getattr(tf.keras.layers, name), old_keras.OLD_DEFAULTS["layers"][name]
        ),
        "TensorFlow 1 had other defaults, as standalone Keras had",
    )


def _legacy_get(tf: Any) -> Callable[..., Any]:
    """``optimizers.get`` that finds an optimizer of the old kind for a name."""
    original = inspect.unwrap(tf.keras.optimizers.get)

    @functools.wraps(original)
    def legacy_get(identifier: Any, **kwargs: Any) -> Any:
        return original(identifier, **{"use_legacy_optimizer": True, **kwargs})

    return legacy_get


def _compat(name: str, why: str = "TensorFlow 2 has it in tf.compat.v1 alone") -> Idiom:
    return Idiom(
        "tensorflow",
        name,
        lambda tf: getattr(tf.compat.v1, name),
        why,
        only_if_missing=True,
    )


def _numpy(name: str, builtin: type) -> Idiom:
    return Idiom("numpy", name, lambda _: builtin, "gone since NumPy 1.24", only_if_missing=True)


def _unserved(name: str, instead: str) -> Idiom:
    dotted = f"tf.{name}"
    return Idiom(
        "tensorflow",
        name,
        lambda _: Unserved(dotted, instead),
        "the error says what to write",
        only_if_missing=True,
    )


IDIOMS = (
    _compat("ConfigProto", "in tf.compat.v1 alone; old annotations are evaluated at import"),
    *map(_compat, ("GPUOptions", "GraphKeys", "set_random_seed", "get_default_graph")),
    *map(_compat, ("global_variables_initializer", "logging", "log", "to_float", "to_int32")),
    *map(_compat, ("random_normal", "random_uniform", "truncated_normal", "flags", "app")),
    Idiom(
        "tensorflow",
        "Session",
        lambda tf: EagerSession if tf.executing_eagerly() else tf.compat.v1.Session,
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
        lambda tf: _old_gfile(tf),
        "tf.gfile.Exists, MakeDirs and Open have other names in tf.io.gfile",
        only_if_missing=True,
    ),
    *(_old_layer(name) for name in old_keras.OLD_DEFAULTS["layers"]),
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
    _unserved("contrib", "it went with TensorFlow 2; write what it did with tf.keras"),
    _unserved("layers", "use tf.keras.layers"),
    _unserved("placeholder", "use tf.keras.Input, or tf.compat.v1.placeholder in graph mode"),
    _unserved("get_variable", "use tf.Variable, or a layer of tf.keras"),
    _unserved("variable_scope", "use tf.name_scope"),
    _unserved("InteractiveSession", "values need no session: tensor.numpy()"),
)


def _old_gfile(tf: Any) -> Any:
    gfile = ModuleType("tensorflow.gfile", "tf.gfile of TensorFlow 1, served by tf.compat.v1.")
    names = (name for name in dir(tf.compat.v1.gfile) if not name.startswith("_"))
    gfile.__dict__.update({name: getattr(tf.compat.v1.gfile, name) for name in names})
    return gfile


_MISSING = object()
_undo: list[tuple[Any, Any, Any]] = []


def activate() -> None:
    """Put the idioms in place; doing it twice is the same as once.

    Raises:
        ImportError: Keras 3 was imported under the name ``keras`` before.
    """
    if _undo:
        return
    if old_keras.loaded_keras_3():
        raise WrongKerasError(
            "Keras 3 was imported before pedl, by `import keras` or by TensorFlow: "
            "set TF_USE_LEGACY_KERAS=1 in the environment before Python starts, and put `import "
            "pedl` before `import keras`; or start the trial with `pedl2det run DIR`"
        )
    import tensorflow as tf

    keras_versions.prepare()
    warnings.filterwarnings("ignore", message="The `lr` argument is deprecated")
    for idiom in IDIOMS:
        for owner in _owners(tf, idiom.module):
            if idiom.only_if_missing and _has(owner, idiom.name):
                continue
            _put(owner, idiom.name, idiom.served_by(tf))
    for path, module in old_keras.modules(tf):
        before = sys.modules.get(path, _MISSING)
        is_served = getattr(before, "__file__", None) == str(old_keras.SERVED / "__init__.py")
        _undo.append((sys.modules, path, _MISSING if is_served else before))
        sys.modules[path] = module


def deactivate() -> None:
    """Take the idioms back."""
    while _undo:
        owner, name, before = _undo.pop()
        if owner is sys.modules:
            sys.modules.pop(name, None)
            if before is not _MISSING:
                sys.modules[name] = before
        elif before is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def _put(owner: Any, name: str, served: Any) -> None:
    _undo.append((owner, name, vars(owner).get(name, _MISSING)))
    setattr(owner, name, served)


def _has(owner: Any, name: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hasattr(owner, name)


def _owners(tf: Any, dotted: str) -> Iterator[Any]:
    """Every object that code may mean by a dotted name.

    ``import tensorflow.keras.optimizers`` and the attribute ``tf.keras.optimizers`` are two
    module objects, because TensorFlow loads Keras lazily.
    """
    keras = tf.keras.Model.__module__.partition(".")[0]
    path = dotted.format(keras=keras)
    module, _, last = path.rpartition(".")
    if last[:1] == "_" or last[:1].isupper():  # a class
        yield getattr(importlib.import_module(module), last)
        return
    imported = importlib.import_module(path)
    yield imported
    if not dotted.startswith("tensorflow."):
        return
    target = tf
    for part in dotted.split(".")[1:]:
        target = getattr(target, part)
    if target is not imported:
        yield target
