"""Read weights that ``model.save_weights`` wrote in TensorFlow's format.

The file holds a graph of objects: a model's attributes, such as ``layer_with_weights-0``, and below
them the variables. It is matched with the graph of the model here. Optimizers are left out: their
objects differ between versions of Keras (:mod:`~pedl2det_runtime.checkpoint.optimizer_state`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pedl2det_runtime.backends import keras_versions
from pedl2det_runtime.checkpoint import resource_limits
from pedl2det_runtime.checkpoint.old_formats.hdf5_model import Layers, optimizer_states
from pedl2det_runtime.checkpoint.optimizer_state import OptimizerState, assign_all
from pedl2det_runtime.checkpoint.untrusted_files import reading

_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_MAX_NAMED = 4
_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


@dataclass(frozen=True)
class TensorFlowWeights:
    """Weights in TensorFlow's format, and the state of the optimizers in HDF5."""

    file: Path  #: the path of the weights, without ``.index``
    #: ``optimizer-0``, ``optimizer-1`` and so on, in the order of ``wrap_optimizer``; None if the
    #: state is among the weights
    optimizer_file: Path | None

    def layers(self) -> Layers:
        """Return the shapes of the weights of each layer."""
        resource_limits.check_tensors(self.file, float("inf"))
        reader = _reader(self.file)
        shapes = reader.get_variable_to_shape_map()
        layers: Layers = {}
        for key, name in _names(reader).items():
            if not _is_of(key, set()):
                layer, _, weight = key.removesuffix(_VALUE).rpartition("/")
                layers.setdefault(layer, {})[name or weight] = tuple(shapes[key])
        return layers

    def restore_weights(self, model: Any, limit: float) -> None:
        """Set the weights of a model.

        A model that is not built gets its weights and optimizers from the file when it is built;
        whether they fit is not checked then.

        Raises:
            ValueError: the file does not fit the model. No weight has been changed.
        """
        resource_limits.check_tensors(self.file, limit)
        if not model.built:
            model.load_weights(str(self.file)).expect_partial()
            return
        reader = _reader(self.file)
        optimizers: set[str] = set()
        found = dict(_pairs(_graph(reader), model, optimizers))
        unused = {
            key
            for key in reader.get_variable_to_shape_map()
            if key.endswith(_VALUE) and not _is_of(key, optimizers)
        } - {key for _, key in found.values()}
        missing = [weight.name for weight in model.weights if id(weight) not in found]
        if missing or unused:
            raise ValueError(_difference(missing, unused))
        assign_all([(variable, reader.get_tensor(key)) for variable, key in found.values()])

    def names(self, model: Any) -> dict[str, str]:
        """Return the names of the weights in a built model, by their names in the file."""
        reader = _reader(self.file)
        names = _names(reader)
        found = dict(_pairs(_graph(reader), model, set()))
        return {names[key]: own.name.removesuffix(":0") for own, key in found.values()}

    def optimizers(self) -> list[OptimizerState]:
        """Return the states of the wrapped optimizers; nothing if there are none."""
        if self.optimizer_file is not None:
            is_there = os.path.lexists(self.optimizer_file)
            return optimizer_states(self.optimizer_file) if is_there else []
        resource_limits.check_tensors(self.file, float("inf"))
        reader = _reader(self.file)
        names = {
            key: name
            for key, name in _names(reader).items()
            if key.startswith(("optimizer/_iterations/", "optimizer/_variables/"))
        }
        arrays = tuple(np.asarray(reader.get_tensor(key)) for key in names)
        with reading(self.file):
            return [OptimizerState(tuple(names.values()), arrays)] if names else []

    def learning_rate(self) -> float | None:
        """Return the learning rate at the checkpoint."""
        with reading(self.file):
            reader = _reader(self.file)
            for name in ("_learning_rate", "learning_rate"):
                if reader.has_tensor(key := f"optimizer/{name}{_VALUE}"):
                    return float(reader.get_tensor(key))
        return None


def _pairs(graph: Any, model: Any, optimizers: set[str]) -> Iterator[tuple[int, tuple[Any, str]]]:
    """Yield the variables of a model with their keys, by id; add the names of its optimizers."""
    todo, seen = [(0, model)], set()
    kinds = keras_versions.optimizer_classes()
    while todo:
        number, own = todo.pop()
        if number in seen:
            continue
        seen.add(number)
        node = graph.nodes[number]
        for attribute in node.attributes:
            if attribute.name == "VARIABLE_VALUE":
                yield id(own), (own, attribute.checkpoint_key)
        children = own._trackable_children()
        optimizers |= {name for name, child in children.items() if isinstance(child, kinds)}
        for child in node.children:
            if child.local_name in children and child.local_name not in optimizers:
                todo.append((child.node_id, children[child.local_name]))


def _difference(missing: list[str], unused: set[str]) -> str:
    names = [key.removesuffix(_VALUE) for key in sorted(unused, key=_natural)]
    lacking = {"the checkpoint lacks": missing, "the model lacks": names}
    return "; ".join(f"{who} {_first(what)}" for who, what in lacking.items() if what)


def _first(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(names[:_MAX_NAMED]) + more


def _graph(reader: Any) -> Any:
    from tensorflow.core.protobuf import trackable_object_graph_pb2

    graph = trackable_object_graph_pb2.TrackableObjectGraph()
    graph.ParseFromString(reader.get_tensor(_GRAPH))
    return graph


def _names(reader: Any) -> dict[str, str]:
    """Return the names of all variables by their keys, in natural order."""
    names = {
        attribute.checkpoint_key: attribute.full_name
        for node in _graph(reader).nodes
        for attribute in node.attributes
        if attribute.name == "VARIABLE_VALUE"
    }
    return {key: names[key] for key in sorted(names, key=_natural)}


def _reader(file: Path) -> Any:
    keras_versions.load_tensorflow()
    import tensorflow as tf

    return tf.train.load_checkpoint(str(file))


def _is_of(key: str, optimizers: set[str]) -> bool:
    """Return whether a key is that of an optimizer, or of a slot that one has for a weight."""
    return (
        "optimizer" in key
        or not optimizers.isdisjoint(key.split("/"))
        or key.startswith("save_counter/")
    )


def _natural(name: str) -> list[tuple[str, int]]:
    """Sort ``layer-10`` after ``layer-2``."""
    return [(text, int(number or 0)) for text, number in re.findall(r"(\D*)(\d*)", name)]
