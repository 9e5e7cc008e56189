"""Read a model that ``model.save`` wrote into one HDF5 file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pedl2det_runtime.checkpoint import resource_limits
from pedl2det_runtime.checkpoint.optimizer_state import OptimizerState
from pedl2det_runtime.checkpoint.untrusted_files import reading

_STATE = "optimizer_weights"
Layers = dict[str, dict[str, tuple[int, ...]]]


@dataclass(frozen=True)
class HDF5Model:
    """One HDF5 file: architecture, weights, optimizer."""

    file: Path  #: its path

    def layers(self) -> Layers:
        """Return the shapes of the weights of each layer."""
        import h5py

        resource_limits.check_hdf5(self.file)
        layers: Layers = {}
        with reading(self.file), h5py.File(self.file) as file:
            for path, array in datasets(file.get("model_weights", file)):
                layer, _, name = path.partition("/")
                weight = _plain(name).rpartition("/")[2]
                layers.setdefault(layer, {})[weight] = array.shape
        return layers

    def restore_weights(self, model: Any, limit: float) -> None:
        """Set the weights of a built model, layer by layer."""
        resource_limits.check_hdf5(self.file, limit)
        model.load_weights(str(self.file))

    def names(self, model: Any) -> dict[str, str]:
        """Return the names of the weights in a model, by their names in the file.

        Keras restores the weights in their order, whatever they are called.
        """
        import h5py

        with reading(self.file), h5py.File(self.file) as file:
            group = file.get("model_weights", file)
            layers = decode_names(group.attrs.get("layer_names", ()))
            saved = [
                name
                for layer in layers
                for name in decode_names(group[layer].attrs["weight_names"])
            ]
        own = [
            weight.name
            for layer in model.layers
            for weight in (*layer.trainable_weights, *layer.non_trainable_weights)
        ]
        pairs = zip(saved, own, strict=True) if len(saved) == len(own) else ()
        return {_plain(name): _plain(now) for name, now in pairs}

    def optimizers(self) -> list[OptimizerState]:
        """Return the state of the compiled optimizer; nothing if there is none."""
        kind = str(self.optimizer_config().get("class_name") or "")
        return optimizer_states(self.file, kind.rpartition(">")[2])

    def learning_rate(self) -> float | None:
        """Return the learning rate at the checkpoint."""
        settings = self.optimizer_config().get("config") or {}
        rate = settings.get("learning_rate", settings.get("lr"))
        return float(rate) if isinstance(rate, int | float) else None

    def optimizer_config(self) -> dict[str, Any]:
        """Return class and settings of the compiled optimizer."""
        import h5py

        resource_limits.check_hdf5(self.file)
        with reading(self.file), h5py.File(self.file) as file:
            config = json.loads(file.attrs.get("training_config", "{}"))
            return config.get("optimizer_config") or {}


def datasets(group: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in an HDF5 file or group, with their paths."""
    import h5py

    for name, item in group.items():
        if isinstance(item, h5py.Dataset):
            yield name, item
        elif isinstance(item, h5py.Group):
            yield from ((f"{name}/{path}", array) for path, array in datasets(item))


def optimizer_states(path: Path, kind: str = "") -> list[OptimizerState]:
    """Return the optimizer states in an HDF5 file: of one, of class ``kind``, or of several.

    Several are in ``optimizer-0``, ``optimizer-1`` and so on.
    """
    import h5py

    resource_limits.check_hdf5(path)
    with reading(path), h5py.File(path) as file:
        if _STATE in file:
            return [_state(file, kind)]
        names = [name for name in file if name.startswith("optimizer-")]
        names.sort(key=lambda name: int(name.removeprefix("optimizer-")))
        return [_state(file[name], "") for name in names]


def _state(group: Any, kind: str) -> OptimizerState:
    if _STATE not in group:  # an optimizer without variables
        return OptimizerState((), (), kind)
    group = group[_STATE]
    names = decode_names(group.attrs["weight_names"])
    return OptimizerState(tuple(names), tuple(np.asarray(group[name]) for name in names), kind)


def decode_names(names: Any) -> list[str]:
    """Return names in an attribute of HDF5, which may be bytes, as text."""
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def _plain(name: str) -> str:
    return name.removesuffix(":0")
