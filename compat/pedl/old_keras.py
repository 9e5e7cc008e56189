"""Modules for ``import keras`` and ``tensorflow.python.keras`` of 2019, based on Keras 2.

Old code imports standalone Keras 2.2.4, or TensorFlow's private copy of Keras, by module paths that
have moved. This module creates a module for each old path, with the objects of today's Keras 2. The
modules of standalone Keras have layers and optimizers with the defaults of Keras 2.2.4.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl.old_classes import StandIn, convolution, standalone_models
from pedl.old_functions import multi_gpu_model
from pedl.old_names import Unserved, old_name
from pedl2det_names import Age
from pedl2det_names import keras as table
from pedl2det_runtime.backends import keras_versions

SERVED = Path(__file__).with_name("served") / "keras"
_FOLDER = str(SERVED.parent)


def modules(tf: Any, age: Age = Age.TENSORFLOW_1) -> Iterator[tuple[str, ModuleType]]:
    """Yield each old module path with its module, parents before children.

    Since Keras 2.4, standalone Keras has the same semantics as ``tf.keras``.
    """
    for root in ("keras", "tensorflow.python.keras"):
        views = _views(tf, root, root == "keras" and age is Age.TENSORFLOW_1)
        vars(views[""])["__version__"] = table.VERSIONS[age]  # old code checks it
        yield from ((f"{root}.{path}" if path else root, view) for path, view in views.items())
        if root == "keras":
            yield from _packages(views)


def _packages(views: dict[str, ModuleType]) -> Iterator[tuple[str, ModuleType]]:
    """Yield modules for packages that were installed with Keras, if they are not installed."""
    for package, path in table.PACKAGES.items():
        if importlib.util.find_spec(package) is None:
            for below, view in views.items():
                if below == path or below.startswith(f"{path}."):
                    yield package + below.removeprefix(path), view


def _views(tf: Any, root: str, is_standalone: bool) -> dict[str, ModuleType]:
    """Return the modules of one root by their paths below it."""
    package = tf.keras.Model.__module__.partition(".")[0]
    views: dict[str, ModuleType] = {}
    for path in sorted(table.PATHS):
        source = _source(tf, package, path)
        if source is None or (path and path.rpartition(".")[0] not in views):
            continue
        name = f"{root}.{path}" if path else root
        view = views[path] = _view(name, source, _replaced(tf, path, source))
        if is_standalone:
            vars(view).update(_standalone(tf, path, dict(vars(view))))
        if path:
            parent, _, last = path.rpartition(".")
            setattr(views[parent], last, view)
    for name in ("Model", "Sequential"):
        setattr(views[""], name, getattr(views["models"], name))
    for path, view in views.items():
        _add_names(tf, package, views, path, view)
    return views


def _add_names(
    tf: Any, package: str, views: dict[str, ModuleType], path: str, view: ModuleType
) -> None:
    """Add the moved and the unsupported names of an old path to its module."""
    for name, place in {**table.ALIASES.get(path, {}), **table.PRIVATE.get(path, {})}.items():
        module, _, attribute = place.rpartition(".")
        source = views[module] if module in views else _source(tf, package, module)
        setattr(view, name, getattr(source, attribute))
    for dotted, row in table.ELSEWHERE.items():
        module, _, name = dotted.rpartition(".")
        if module == path and path and not hasattr(view, name):
            setattr(view, name, old_name(row, tf))
    for name, instead in table.WRITE.get(path, {}).items():
        if not hasattr(view, name):
            setattr(view, name, Unserved(f"{view.__name__}.{name}", instead))
    if path.partition(".")[0] in ("layers", "engine"):
        vars(view).setdefault("K", views["backend"])


def _source(tf: Any, package: str, path: str) -> Any:
    """Return today's module for an old path; None if there is none."""
    place = table.PATHS.get(path, table.Place(path))
    if place == table.Place(None):
        return ModuleType(path)
    private = place.private and _module(tf, package, place.private)
    return private or (None if place.public is None else _module(tf, package, place.public))


def _module(tf: Any, package: str, path: str) -> Any:
    """Return a module of today's Keras; None if the path does not exist."""
    if path.startswith("src."):
        try:
            return importlib.import_module(f"{package}.{path}")
        except ModuleNotFoundError:
            return None
    module = tf.keras
    for name in filter(None, path.split(".")):
        module = getattr(module, name, None)
    return module


def _replaced(tf: Any, path: str, source: Any) -> dict[str, Any]:
    """Return what an old path had besides the names of today's module."""
    from pedl2det_legacy import keras_functions, sessions

    area, private = table.PATHS[path]
    pieces = table.SUPPORTED.get(path, {}).items()
    names = {name: getattr(keras_functions, piece) for name, piece in pieces}
    if area is not None and private:
        missing = [name for name in table.PUBLIC[area] if not hasattr(source, name)]
        names |= {name: getattr(_module(tf, "", area), name) for name in missing}
    if area == "backend":
        names |= {
            "tf": tf,
            "get_session": sessions.get_session,
            "set_session": sessions.set_session,
        }
    elif path == "legacy.interfaces":  # decorators that translated the arguments of Keras 1
        names["__getattr__"] = lambda _: keras_functions.legacy_interface
    elif area == "utils":
        names["multi_gpu_model"] = multi_gpu_model
    return names


def _view(name: str, source: Any, replaced: dict[str, Any]) -> ModuleType:
    """Return a module with the names of another one, some of them replaced."""
    view = ModuleType(name, f"The old module {name}, based on {source.__name__}.")
    public = {key: value for key, value in vars(source).items() if not key.startswith("__")}
    names = [key for key in dir(source) if not key.startswith("_") and key not in public]
    view.__dict__.update(public | {key: getattr(source, key) for key in names} | replaced)
    view.__path__ = []
    return view


def _standalone(tf: Any, path: str, names: dict[str, Any]) -> dict[str, Any]:
    """Return the objects of a path that differ between standalone Keras 2.2.4 and TensorFlow."""
    from pedl2det_legacy import standalone_keras
    from pedl2det_legacy.old_optimizers import KerasOptimizer

    area = table.PATHS[path].public
    objects = standalone_models(tf, path, names)
    if area == "layers":
        layers = tf.keras.layers
        objects |= {name: convolution(getattr(layers, name), name) for name in table.CONVOLUTIONS}
    elif area == "optimizers":
        objects |= {kind.__name__: kind for kind in standalone_keras.STANDALONE_OPTIMIZERS}
        objects["get"] = standalone_keras.standalone_optimizer
        objects["Optimizer"] = StandIn(tf.keras.optimizers.legacy.Optimizer, KerasOptimizer)
    elif area == "initializers":
        real = tf.keras.initializers.Initializer
        objects["Initializer"] = StandIn(real, standalone_keras.Initializer)
    elif area in ("losses", "metrics"):
        get = getattr(tf.keras, area).get
        objects |= standalone_keras.STANDALONE_LOSSES
        objects["get"] = functools.wraps(get)(  # what `use_standalone_keras` makes of it
            lambda name: get(standalone_keras.standalone_losses(name))
        )
    return objects


def serve() -> None:
    """Make ``import keras`` import Keras 2 where it would import Keras 3."""
    if not keras_versions.is_keras_2_of_tensorflow() and _FOLDER not in sys.path:
        sys.path.insert(0, _FOLDER)


def serve_no_more() -> None:
    """Undo :func:`serve`."""
    if _FOLDER in sys.path:
        sys.path.remove(_FOLDER)
