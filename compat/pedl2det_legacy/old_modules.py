"""Modules of TensorFlow 1 and its Keras, for code that looks up their names by text."""

import functools
import importlib
import re
import types

import tensorflow as tf

from pedl2det_legacy.old_layers import use_old_recurrent_layers
from pedl2det_legacy.standalone_keras import STANDALONE_LOSSES, STANDALONE_OPTIMIZERS
from pedl2det_legacy.train_optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)

#: The path of a public module, by which it may have been imported or be an attribute.
_API = r"(?:tensorflow\._api\.v2|(?:tf_)?keras\.api\._v[12])"
_PUBLIC = re.compile(rf"(?:{_API}|tensorflow)\.(?!python|_)(.+)")

#: Short names of initializers and constraints that Keras had beside those of today.
_SHORT_NAMES = {
    "maxnorm": "max_norm",
    "nonneg": "non_neg",
    "one": "Ones",
    "unitnorm": "unit_norm",
    "zero": "Zeros",
}


def old_module(module, is_standalone=False):
    """Return TensorFlow with the names of its time; anything else as it is.

    One of Keras may be that of standalone Keras.
    """
    if not isinstance(module, types.ModuleType):
        return module
    public = _PUBLIC.match(module.__name__)
    if public is None:
        return _old_module("") if module is tf else module
    return _old_module(public[1], is_standalone)


def import_old_module(name, package=None):
    """Import a module by its name; `keras` and what is in it is standalone Keras of the time."""
    root, _, path = name.partition(".")
    if root == "keras":
        return _old_module(f"keras.{path}" if path else "keras", is_standalone=True)
    return old_module(importlib.import_module(name, package))


def private_keras(path):
    """Return a module or name of Keras 2 that is not public, by its path in the package."""
    package = tf.keras.Model.__module__.partition(".")[0]
    path = path.replace("/", ".")
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(f"{package}.{module}"), name)
    except AttributeError:
        return importlib.import_module(f"{package}.{path}")


class _OldModule(types.ModuleType):
    """A module of TensorFlow 1, by its path below `tensorflow`."""

    def __init__(self, path, is_standalone):
        super().__init__(f"tensorflow.{path}")
        today = _at(tf, path)
        self.__dict__.update(_public(today))
        if path.partition(".")[0] != "keras":
            self.__dict__.update(_public(_at(tf.compat.v1, path)))
        self.__dict__.update(_replaced(path, is_standalone))
        self._today, self._path, self._is_standalone = today, path, is_standalone

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        name = _SHORT_NAMES.get(name, name)
        value = getattr(self._today, name, None)
        if not isinstance(value, types.ModuleType):
            old = _at(tf.compat.v1, self._path) or tf.compat.v1
            return getattr(self._today if value is not None else old, name)
        path = f"{self._path}.{name}" if self._path else name
        return _old_module(path, self._is_standalone)


@functools.lru_cache
def _old_module(path, is_standalone=False):
    return _OldModule(path, is_standalone)


def _at(module, path):
    """Return what a module has at a path, or None."""
    for name in filter(None, path.split(".")):
        module = getattr(module, name, None)
    return module


def _public(module):
    """Return the names of a module that are no modules."""
    found = {}
    for name in () if module is None else dir(module):
        value = None if name.startswith("_") else getattr(module, name, None)
        if value is not None and not isinstance(value, types.ModuleType):
            found[name] = value
    return found


def _replaced(path, is_standalone):
    """Return what has another meaning today in the module at a path."""
    if path == "train":
        optimizers = (GradientDescentOptimizer, MomentumOptimizer, AdagradOptimizer)
        optimizers += (RMSPropOptimizer, AdamOptimizer, AdadeltaOptimizer)
        return {one.__name__: one for one in (*optimizers, FtrlOptimizer)}
    if path == "keras.layers":
        use_old_recurrent_layers()
    if path == "keras.optimizers":
        made = {kind.__name__: kind for kind in STANDALONE_OPTIMIZERS}
        if not is_standalone:
            made = {name: getattr(tf.keras.optimizers.legacy, name) for name in made}
        return made | {name.lower(): kind for name, kind in made.items()}
    is_loss = is_standalone and path in ("keras.losses", "keras.metrics")
    return STANDALONE_LOSSES if is_loss else {}
