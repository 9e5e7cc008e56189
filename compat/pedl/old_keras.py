"""``import keras`` and ``tensorflow.python.keras`` of 2019, served by today's Keras 2.

Old code imports standalone Keras 2.2.4, or TensorFlow's private copy of Keras, by module paths that
have moved since. For each of these paths a module is made here that holds what the legacy Keras has
at that place. Standalone Keras also had other defaults: its modules hold layers and optimizers that
keep them.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from pedl2det_runtime import keras_versions

_log = logging.getLogger(__name__)

SERVED = Path(__file__).with_name("served") / "keras"

#: Module paths below ``keras`` that are public still, or were at the time.
_PUBLIC = (
    *("activations", "applications", "backend", "callbacks", "constraints", "datasets"),
    *("datasets.boston_housing", "datasets.cifar10", "datasets.cifar100", "datasets.imdb"),
    *("datasets.fashion_mnist", "datasets.mnist", "datasets.reuters", "initializers", "layers"),
    *("losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils"),
    *("preprocessing.image", "preprocessing.sequence", "preprocessing.text"),
    *("applications.inception_v3", "applications.mobilenet", "applications.mobilenet_v2"),
    *("applications.resnet50", "applications.vgg16", "applications.vgg19"),
    *("applications.xception", "applications.densenet", "applications.imagenet_utils"),
)

#: Module paths that have moved, and where what they held is now.
_MOVED = {
    "datasets.cifar": "src.datasets.cifar",
    "engine": "src.engine",
    "engine.base_layer": "src.engine.base_layer",
    "engine.input_layer": "src.engine.input_layer",
    "engine.topology": "src.engine.base_layer",
    "engine.training": "src.engine.training",
    "layers.advanced_activations": "layers",
    "layers.convolutional": "layers",
    "layers.core": "layers",
    "layers.embeddings": "layers",
    "layers.merge": "layers",
    "layers.noise": "layers",
    "layers.normalization": "layers",
    "layers.pooling": "layers",
    "layers.recurrent": "layers",
    "layers.wrappers": "layers",
    "utils.data_utils": "src.utils.data_utils",
    "utils.generic_utils": "src.utils.generic_utils",
    "utils.io_utils": "src.utils.io_utils",
    "utils.layer_utils": "src.utils.layer_utils",
    "utils.np_utils": "src.utils.np_utils",
    "utils.vis_utils": "src.utils.vis_utils",
}

#: Arguments whose defaults standalone Keras 2.2.4 had otherwise than TensorFlow 2; those of the
#: layers TensorFlow 1 had too.
OLD_DEFAULTS: dict[str, dict[str, dict[str, Any]]] = {
    "layers": {
        "GRU": {"recurrent_activation": "hard_sigmoid", "reset_after": False},
        "LSTM": {"recurrent_activation": "hard_sigmoid"},
    },
    "optimizers": {
        "Adadelta": {"lr": 1.0},
        "Adagrad": {"lr": 0.01},
        "Adamax": {"lr": 0.002},
        "Nadam": {"lr": 0.002},
    },
}


def modules(tf: Any) -> Iterator[tuple[str, ModuleType]]:
    """Every old module path with the module that serves it, parents before children.

    Args:
        tf: TensorFlow, with Keras 2.
    """
    package = tf.keras.Model.__module__.partition(".")[0]
    for root, is_standalone in (("keras", True), ("tensorflow.python.keras", False)):
        top = _view(root, tf.keras, {})
        vars(top)["__version__"] = "2.2.4"  # old code asks, and means these APIs
        made = {"": top}
        yield root, top
        for path in sorted([*_PUBLIC, *_MOVED]):
            held = _held(tf, package, path)
            if held is None:
                continue
            replaced = _private(package, path)
            replaced |= _with_old_defaults(tf, path) if is_standalone else {}
            view = made[path] = _view(f"{root}.{path}", held, replaced)
            parent, _, name = path.rpartition(".")
            setattr(made[parent], name, view)
            yield f"{root}.{path}", view


def _held(tf: Any, package: str, path: str) -> Any:
    """What is at an old path today; None if there is nothing."""
    moved = _MOVED.get(path)
    if moved is not None and moved.startswith("src."):
        try:
            return importlib.import_module(f"{package}.{moved}")
        except ModuleNotFoundError:
            return None
    found = tf.keras
    for name in (moved or path).split("."):
        found = getattr(found, name, None)
    return found


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


def _with_old_defaults(tf: Any, path: str) -> dict[str, Any]:
    area = path.partition(".")[0]
    made: dict[str, Any] = {}
    for name, defaults in OLD_DEFAULTS.get(area, {}).items():
        source = tf.keras.optimizers.legacy if area == "optimizers" else tf.keras.layers
        made[name] = with_defaults(getattr(source, name), defaults)
    if area == "optimizers":
        names = ("Adam", "RMSprop", "SGD")
        made |= {name: getattr(tf.keras.optimizers.legacy, name) for name in names}
        made["get"] = _getter(tf.keras.optimizers.get, made)
    return made


def with_defaults(kind: Any, defaults: dict[str, Any]) -> Any:
    """The class, with other defaults for arguments that are left out."""

    class Old(kind):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            given = {"lr"} if args else set()
            if kwargs.keys() & {"lr", "learning_rate"}:
                given.add("lr")
            missing = {
                key: value
                for key, value in defaults.items()
                if key not in kwargs and key not in given
            }
            if missing:
                said = ", ".join(f"{key}={value!r}" for key, value in missing.items())
                _log.warning("%s: %s, the default of its time", kind.__name__, said)
            super().__init__(*args, **kwargs, **missing)

    Old.__name__, Old.__qualname__ = kind.__name__, kind.__qualname__
    return Old


def _getter(original: Callable[..., Any], old: dict[str, Any]) -> Callable[..., Any]:
    """``optimizers.get`` whose names mean the old optimizers."""
    by_name = {name.lower(): kind for name, kind in old.items()}

    def get(identifier: Any) -> Any:
        if isinstance(identifier, str) and identifier.lower() in by_name:
            return by_name[identifier.lower()]()
        return original(identifier)

    return get


def serve() -> None:
    """Have ``import keras`` find the old one, where it would be Keras 3."""
    folder = str(SERVED.parent)
    if not keras_versions.is_keras_2_of_tensorflow() and folder not in sys.path:
        sys.path.insert(0, folder)


def loaded_keras_3() -> bool:
    """Whether this process has imported Keras 3 under the name ``keras``."""
    keras = sys.modules.get("keras")
    return keras is not None and str(getattr(keras, "__version__", "")).startswith("3")
