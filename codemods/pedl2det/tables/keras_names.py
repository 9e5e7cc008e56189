"""What standalone Keras and TensorFlow's private copy of it are called in ``tf.keras``.

A name that has no public place there has no answer here: old trials are served it, migrated ones
would depend on what may go.
"""

from __future__ import annotations

from pedl2det.tables.legacy import OLD_KERAS
from pedl2det_names import PUBLIC

KERAS = "tensorflow.keras"
OPTIMIZERS = f"{KERAS}.optimizers"

#: Modules that are gone, and where what they held is public.
MOVED = {
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
    "utils.data_utils": "utils",
    "utils.generic_utils": "utils",
    "utils.layer_utils": "utils",
    "utils.np_utils": "utils",
    "utils.vis_utils": "utils",
}

_ENGINE = (
    "engine",
    "engine.base_layer",
    "engine.input_layer",
    "engine.topology",
    "engine.training",
)
_OF_ENGINE = {
    "Input": "layers.Input",
    "InputLayer": "layers.InputLayer",
    "InputSpec": "layers.InputSpec",
    "Layer": "layers.Layer",
    "Model": "models.Model",
}


def old_path(dotted: str) -> str | None:
    """What follows the root of an old Keras in a dotted name; None if it is of no old Keras."""
    if not dotted.startswith(OLD_KERAS):  # most names
        return None
    for root in OLD_KERAS:
        if dotted == root:
            return ""
        if dotted.startswith(f"{root}."):
            return dotted.removeprefix(f"{root}.")
    return None


def today(dotted: str) -> str | None:
    """The public name in ``tf.keras`` of a module, class or function of an old Keras, or None."""
    path = old_path(dotted)
    if path is None or dotted == "keras.optimizers.get":  # its names meant other defaults
        return None
    if path in PUBLIC or path in MOVED:
        return f"{KERAS}.{MOVED.get(path, path)}".rstrip(".")
    module, _, name = path.rpartition(".")
    if module in _ENGINE:
        return f"{KERAS}.{_OF_ENGINE[name]}" if name in _OF_ENGINE else None
    module = MOVED.get(module, module)
    if name in PUBLIC.get(module, ()):
        return ".".join(part for part in (KERAS, module, name) if part)
    return None


def is_module(dotted: str) -> bool:
    """Whether a dotted name of an old Keras is a module of which some names are public today."""
    path = old_path(dotted)
    return path is not None and (path in PUBLIC or path in MOVED or path in _ENGINE)


def public(dotted: str | None) -> str:
    """A name as ``tf.keras`` has it: that of an old Keras translated, any other as it is."""
    return today(dotted or "") or dotted or ""
