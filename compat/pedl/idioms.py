"""Install and remove the replacements for old names, listed in ``pedl.idiom_table``.

Importing ``pedl.frameworks.keras`` installs them; ``pedl2det run`` imports it before it loads an
old trial. ``deactivate`` removes them. Migrated code does not need them.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from pedl import old_keras, old_phase, old_sessions
from pedl.idiom_table import IDIOMS, NAMES_FROM_ONE
from pedl.old_names import OldPackage
from pedl2det_names import Age
from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.errors import WrongKerasError

_LR_IS_DEPRECATED = "The `lr` argument is deprecated"
_MISSING = object()
_undo: list[tuple[Any, Any, Any]] = []


def activate(age: Age = Age.TENSORFLOW_1, *, names_from_one: bool = False) -> None:
    """Install the replacements, unless they are installed.

    Args:
        age: the TensorFlow version that the trial was written for.
        names_from_one: name layers ``dense_1``, ``dense_2`` and so on, like standalone Keras.

    Raises:
        ImportError: Keras 3 is already imported as ``keras``.
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
    old_keras.serve()
    warnings.filterwarnings("ignore", message=_LR_IS_DEPRECATED)
    idioms = [idiom for idiom in IDIOMS if age in idiom.ages]
    idioms += NAMES_FROM_ONE if names_from_one else ()
    owners = {module: [*_owners(tf, module)] for module in {idiom.module for idiom in idioms}}
    for idiom in idioms:
        for owner in owners[idiom.module]:
            if idiom.only_if_missing and _has(owner, idiom.name):
                continue
            try:
                served = idiom.served_by(tf)
            except AttributeError:
                if idiom.only_if_missing:  # this TensorFlow has no successor
                    continue
                raise
            _put(owner, idiom.name, served(getattr(owner, idiom.name)) if idiom.wraps else served)
            if isinstance(served, OldPackage):
                for path, package in served.packages():
                    _put_module(path, package)
    for path, module in list(old_keras.modules(tf, age)):  # create all before installing any
        _put_module(path, module)
    if age is Age.TENSORFLOW_1:
        old_sessions.start()


def deactivate() -> None:
    """Remove the replacements."""
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
    old_phase.reset()
    old_sessions.stop()
    old_keras.serve_no_more()
    warnings.filters[:] = [  # type: ignore[index]
        known for known in warnings.filters if getattr(known[1], "pattern", "") != _LR_IS_DEPRECATED
    ]


def _put(owner: Any, name: str, served: Any) -> None:
    _undo.append((owner, name, vars(owner).get(name, _MISSING)))
    setattr(owner, name, served)


def _put_module(path: str, module: Any) -> None:
    before = sys.modules.get(path, _MISSING)
    is_served = getattr(before, "__file__", None) == str(old_keras.SERVED / "__init__.py")
    _undo.append((sys.modules, path, _MISSING if is_served else before))
    sys.modules[path] = module


def _has(owner: Any, name: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hasattr(owner, name)


def _owners(tf: Any, dotted: str) -> Iterator[Any]:
    """Yield every object that a dotted name may resolve to.

    ``import tensorflow.keras.optimizers`` and the attribute ``tf.keras.optimizers`` are different
    module objects, because TensorFlow loads Keras lazily.
    """
    keras = tf.keras.Model.__module__.partition(".")[0]
    path = dotted.format(keras=keras)
    module, _, last = path.rpartition(".")
    if last[:1] == "_" or last[:1].isupper():  # a class
        yield getattr(importlib.import_module(module), last)
        return
    imported = None
    with contextlib.suppress(ModuleNotFoundError):  # some are only attributes
        imported = importlib.import_module(path)
        yield imported
    if not dotted.startswith("tensorflow."):
        return
    target = tf
    for part in dotted.split(".")[1:]:
        if not hasattr(target, part):  # private, or only a module
            return
        dir(getattr(target, part))  # a lazy module is replaced on first access
        target = getattr(target, part)
    if target is not imported:
        yield target
