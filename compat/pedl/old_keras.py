"""``import keras`` and ``tensorflow.python.keras`` of 2019, served by today's Keras 2.

Old code imports standalone Keras 2.2.4, or TensorFlow's private copy of Keras, by module paths that
have moved since. For each of these paths a module is made here that holds what the legacy Keras has
at that place. Standalone Keras also had other defaults: its modules hold layers and optimizers that
keep them.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl.old_backend import backend_names, multi_gpu_model
from pedl.old_models import old_losses, standalone_models
from pedl.old_signatures import convolution, optimizer
from pedl.old_tensorflow import Unserved
from pedl2det_names import Age
from pedl2det_names.keras_arguments import CONVOLUTIONS, LAYER_DEFAULTS, OPTIMIZERS
from pedl2det_names.keras_paths import ALIASES, INTERFACES, PACKAGES, PATHS, PRIVATE, UNSERVED
from pedl2det_names.keras_public import PUBLIC
from pedl2det_runtime.backends import keras_versions

SERVED = Path(__file__).with_name("served") / "keras"

#: The version of Keras that code of an age was written for.
_VERSIONS = {Age.TENSORFLOW_1: "2.2.4", Age.TENSORFLOW_2: "2.4.3"}
#: Arguments whose defaults TensorFlow 1 and standalone Keras 2.2.4 had otherwise.
OLD_DEFAULTS: dict[str, dict[str, Any]] = {
    layer: {name: ast.literal_eval(text) for name, text in defaults.items()}
    for layer, defaults in LAYER_DEFAULTS.items()
}


def modules(tf: Any, age: Age = Age.TENSORFLOW_1) -> Iterator[tuple[str, ModuleType]]:
    """Every old module path with the module that serves it, parents before children.

    Args:
        tf: TensorFlow, with Keras 2.
        age: the TensorFlow that the trial was written for; since Keras 2.4 the standalone one had
            the meanings of TensorFlow's.
    """
    for root in ("keras", "tensorflow.python.keras"):
        made = _views(tf, root, root == "keras" and age is Age.TENSORFLOW_1)
        vars(made[""])["__version__"] = _VERSIONS[age]  # old code asks, and means these APIs
        yield from ((f"{root}.{path}" if path else root, view) for path, view in made.items())
        if root == "keras":
            yield from _packages(made)


def _packages(made: dict[str, ModuleType]) -> Iterator[tuple[str, ModuleType]]:
    """Packages that came with Keras, where they are not installed."""
    for package, path in PACKAGES.items():
        if importlib.util.find_spec(package) is None:
            for below, view in made.items():
                if below == path or below.startswith(f"{path}."):
                    yield package + below.removeprefix(path), view


def _views(tf: Any, root: str, is_standalone: bool) -> dict[str, ModuleType]:
    package = tf.keras.Model.__module__.partition(".")[0]
    made: dict[str, ModuleType] = {}
    for path in sorted(PATHS):
        held = _held(tf, package, path)
        if held is None or (path and path.rpartition(".")[0] not in made):
            continue
        replaced = _private(package, path) | _public(tf, path, held) | _more(tf, path)
        view = made[path] = _view(f"{root}.{path}" if path else root, held, replaced)
        if is_standalone:
            vars(view).update(_standalone(tf, path, dict(vars(view))))
        if path:
            parent, _, name = path.rpartition(".")
            setattr(made[parent], name, view)
    for name in ("Model", "Sequential"):
        setattr(made[""], name, getattr(made["models"], name))
    for path, view in made.items():
        _name(tf, package, made, path, view)
    return made


def _name(tf: Any, package: str, made: dict[str, ModuleType], path: str, view: ModuleType) -> None:
    """Give a module the names that were there, and those that nothing serves."""
    for name, place in {**ALIASES.get(path, {}), **PRIVATE.get(path, {})}.items():
        module, _, attribute = place.rpartition(".")
        at = made[module] if module in made else _held(tf, package, module)
        setattr(view, name, getattr(at, attribute))
    for name, instead in UNSERVED.get(path, {}).items():
        if not hasattr(view, name):
            setattr(view, name, Unserved(f"{view.__name__}.{name}", instead))
    if path.partition(".")[0] in ("layers", "engine"):
        vars(view).setdefault("K", made["backend"])


def _held(tf: Any, package: str, path: str) -> Any:
    """What is at an old path today; None if there is nothing."""
    place = PATHS.get(path)
    if place is None:
        return _module(tf, package, path)
    if place.private is None and place.public is None:
        return ModuleType(path)
    private = None if place.private is None else _module(tf, package, place.private)
    if private is not None or place.public is None:
        return private
    return _module(tf, package, place.public)


def _public(tf: Any, path: str, held: Any) -> dict[str, Any]:
    """The public names of a place whose private module has some of them elsewhere."""
    public = PATHS[path].public
    if public is None or PATHS[path].private is None:
        return {}
    module = _module(tf, "", public)
    return {name: getattr(module, name) for name in PUBLIC[public] if not hasattr(held, name)}


def _module(tf: Any, package: str, path: str) -> Any:
    """A module of today's Keras; None if it has none at this path."""
    if path.startswith("src."):
        try:
            return importlib.import_module(f"{package}.{path}")
        except ModuleNotFoundError:
            return None
    found = tf.keras
    for name in filter(None, path.split(".")):
        found = getattr(found, name, None)
    return found


def _more(tf: Any, path: str) -> dict[str, Any]:
    """Functions that are gone."""
    area = PATHS[path].public
    if area == "backend":
        return backend_names(tf)
    if path == "legacy.interfaces":
        return dict.fromkeys(INTERFACES, _unchanged) | {
            "generate_legacy_interface": lambda *_, **__: _unchanged
        }
    if path == "engine.data_adapter":
        return {"expand_1d": functools.partial(_expanded, tf)}
    return {"multi_gpu_model": multi_gpu_model} if area == "utils" else {}


def _expanded(tf: Any, data: Any) -> Any:
    """Return data with tensors of one dimension as columns."""
    return tf.nest.map_structure(
        lambda one: tf.expand_dims(one, -1) if tf.is_tensor(one) and one.shape.rank == 1 else one,
        data,
    )


def _unchanged(function: Any) -> Any:
    """A decorator that translated arguments of Keras 1; code of 2019 gives those of Keras 2."""
    return function


def _private(package: str, path: str) -> dict[str, Any]:
    """The helpers of the preprocessing modules that were never public and are used all the same."""
    if not path.startswith("preprocessing."):
        return {}
    module = importlib.import_module(f"{package}.src.{path}")
    return {name: value for name, value in vars(module).items() if not name.startswith("__")}


def _view(name: str, held: Any, replaced: dict[str, Any]) -> ModuleType:
    view = ModuleType(name, f"What {name} was, served by {held.__name__}.")
    public = {key: value for key, value in vars(held).items() if not key.startswith("__")}
    names = [key for key in dir(held) if not key.startswith("_") and key not in public]
    view.__dict__.update(public | {key: getattr(held, key) for key in names} | replaced)
    view.__path__ = []
    return view


def _standalone(tf: Any, path: str, held: dict[str, Any]) -> dict[str, Any]:
    """What standalone Keras 2.2.4 had otherwise than TensorFlow, at one path."""
    area = PATHS[path].public
    made = standalone_models(tf, path, held)
    if area == "layers":
        made |= {name: convolution(getattr(tf.keras.layers, name), name) for name in CONVOLUTIONS}
    elif area == "optimizers":
        legacy = tf.keras.optimizers.legacy
        made |= {name: optimizer(getattr(legacy, name)) for name in OPTIMIZERS}
        made["get"] = _getter(tf.keras.optimizers.get, made)
    elif area in ("losses", "metrics"):
        made |= old_losses(tf)
        made["get"] = _by_name(getattr(tf.keras, area).get, old_losses(tf))
    return made


def _getter(original: Callable[..., Any], old: dict[str, Any]) -> Callable[..., Any]:
    """``optimizers.get`` whose names mean the old optimizers."""
    by_name = {name.lower(): kind for name, kind in old.items()}

    def get(identifier: Any) -> Any:
        if isinstance(identifier, str) and identifier.lower() in by_name:
            return by_name[identifier.lower()]()
        return original(identifier)

    return get


def _by_name(original: Callable[..., Any], old: dict[str, Any]) -> Callable[..., Any]:
    """``losses.get`` whose names mean the old functions."""

    def get(identifier: Any) -> Any:
        return original(
            old.get(identifier, identifier) if isinstance(identifier, str) else identifier
        )

    return get


def serve() -> None:
    """Have ``import keras`` find the old one, where it would be Keras 3."""
    folder = str(SERVED.parent)
    if not keras_versions.is_keras_2_of_tensorflow() and folder not in sys.path:
        sys.path.insert(0, folder)


def serve_no_more() -> None:
    """Have ``import keras`` find what is installed."""
    folder = str(SERVED.parent)
    if folder in sys.path:
        sys.path.remove(folder)


def loaded_keras_3() -> bool:
    """Whether this process has imported Keras 3 under the name ``keras``."""
    keras = sys.modules.get("keras")
    return keras is not None and str(getattr(keras, "__version__", "")).startswith("3")
