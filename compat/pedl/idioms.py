"""What TensorFlow 1 and old Keras offered and legacy code still says.

``IDIOMS`` is the whole list. They are put in place when ``pedl.frameworks.keras`` is imported,
which ``pedl2det run`` does before it loads an old trial, and only then: migrated code says what it
means in its own text.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Idiom:
    """A name that legacy code uses, and what serves it today.

    Attributes:
        module: the module on which the name is looked up.
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


IDIOMS = (
    Idiom(
        "tensorflow",
        "ConfigProto",
        lambda tf: tf.compat.v1.ConfigProto,
        "TensorFlow 2 has it in tf.compat.v1 alone; old annotations are evaluated at import",
    ),
    *(_legacy_optimizer(name) for name in _OPTIMIZERS),
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
    target = tf
    for part in dotted.split(".")[1:]:
        target = getattr(target, part)
    yield target
    imported = importlib.import_module(dotted)
    if imported is not target:
        yield imported
