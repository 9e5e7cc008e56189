"""What TensorFlow 1 and old Keras offered and legacy code still says.

``IDIOMS`` is the whole list. They are put in place when ``pedl.frameworks.keras`` is imported,
which ``pedl2det run`` does before it loads an old trial, and only then: migrated code says what it
means in its own text.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Idiom:
    """A name that legacy code uses, and what serves it today.

    Attributes:
        module: the module on which the name is looked up; ``{keras}`` is the package of Keras 2.
        name: the name.
        served_by: gives the object, from the imported TensorFlow.
        why: what would go wrong without it.
    """

    module: str
    name: str
    served_by: Callable[[Any], Any]
    why: str


_OPTIMIZERS = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")


def _legacy_optimizer(name: str) -> Idiom:
    return Idiom(
        "tensorflow.keras.optimizers",
        name,
        lambda tf: getattr(tf.keras.optimizers.legacy, name),
        "since Keras 2.11 lr= is ignored with a warning and decay= raises",
    )


def _legacy_get(tf: Any) -> Callable[..., Any]:
    """``optimizers.get`` that finds an optimizer of the old kind for a name."""
    original = inspect.unwrap(tf.keras.optimizers.get)

    @functools.wraps(original)
    def legacy_get(identifier: Any, **kwargs: Any) -> Any:
        return original(identifier, **{"use_legacy_optimizer": True, **kwargs})

    return legacy_get


IDIOMS = (
    Idiom(
        "tensorflow",
        "ConfigProto",
        lambda tf: tf.compat.v1.ConfigProto,
        "TensorFlow 2 has it in tf.compat.v1 alone; old annotations are evaluated at import",
    ),
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
)


def activate() -> None:
    """Put the idioms in place; doing it twice is the same as once."""
    import tensorflow as tf

    warnings.filterwarnings("ignore", message="The `lr` argument is deprecated")
    for idiom in IDIOMS:
        served = idiom.served_by(tf)
        for module in _modules(tf, idiom.module):
            setattr(module, idiom.name, served)


def _modules(tf: Any, dotted: str) -> Iterator[Any]:
    """Every module that code may mean by a dotted name.

    ``import tensorflow.keras.optimizers`` and the attribute ``tf.keras.optimizers`` are two
    module objects, because TensorFlow loads Keras lazily.
    """
    keras = tf.keras.Model.__module__.partition(".")[0]
    imported = importlib.import_module(dotted.format(keras=keras))
    yield imported
    if not dotted.startswith("tensorflow"):
        return
    target = tf
    for part in dotted.split(".")[1:]:
        target = getattr(target, part)
    if target is not imported:
        yield target
