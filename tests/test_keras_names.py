"""Names of old Keras: what they are called today is public, and is what the shim serves."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pedl2det.tables.keras_names import today
from pedl2det_names import PUBLIC

#: What old trials are served with another meaning; P009, P013, P031, P036 and P037 know it.
DIFFERENT = {
    "backend": {"set_learning_phase"},
    "layers": {
        *("Conv2D", "Conv2DTranspose", "Conv3D", "Convolution2D", "Convolution2DTranspose"),
        *("Convolution3D", "SeparableConv2D", "SeparableConvolution2D"),
        *("GRU", "GRUCell", "LSTM", "LSTMCell"),
    },
    "losses": {"get", "hinge", "squared_hinge"},
    "metrics": {"get", "hinge", "squared_hinge"},
    "optimizers": {
        *("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD", "get")
    },
}


def is_same(served: Any, ours: Any) -> bool:
    """Whether two are the same, but that a model which one makes is marked."""
    return served is ours or served == ours or inspect.unwrap(served) is ours


@pytest.fixture
def idioms() -> Iterator[Any]:
    from pedl import idioms

    idioms.activate()
    yield idioms
    idioms.deactivate()


@pytest.mark.parametrize("module", sorted(PUBLIC))
def test_every_public_name_is_what_old_trials_are_served(module: str, idioms: Any) -> None:
    served = sys.modules.get(f"keras.{module}".rstrip("."))
    idioms.deactivate()
    import tensorflow as tf

    holder: Any = tf.keras
    for part in filter(None, module.split(".")):
        holder = getattr(holder, part)
    for name in PUBLIC[module] - DIFFERENT.get(module, set()):
        ours = getattr(holder, name)
        if served is not None and f"{module}.{name}".lstrip(".") not in PUBLIC:
            assert is_same(getattr(served, name), ours), name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keras", "tensorflow.keras"),
        ("keras.layers.Dense", "tensorflow.keras.layers.Dense"),
        ("keras.layers.advanced_activations.PReLU", "tensorflow.keras.layers.PReLU"),
        ("keras.utils.np_utils", "tensorflow.keras.utils"),
        ("keras.engine.topology.Layer", "tensorflow.keras.layers.Layer"),
        ("tensorflow.python.keras.backend.mean", "tensorflow.keras.backend.mean"),
        ("tensorflow.python.keras.optimizers.get", "tensorflow.keras.optimizers.get"),
        ("keras.optimizers.get", None),
        ("keras.engine", None),
        ("keras.utils.multi_gpu_model", None),
        ("keras.datasets.cifar.load_batch", None),
        ("keras.__version__", None),
        ("keras_tuner.layers", None),
        ("tensorflow.keras.layers.Dense", None),
    ],
)
def test_what_an_old_name_is_called_today(old: str, new: str | None) -> None:
    assert today(old) == new
