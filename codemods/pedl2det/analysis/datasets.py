"""Which loaders are a ``tf.data.Dataset``, and whether the code wraps them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum

import pedl2det_names as names
from pedl2det.analysis.bindings import Path
from pedl2det.analysis.loaders import Role, returning
from pedl2det.analysis.trial import Trial

WRAP = "pedl.frameworks.keras.wrap_dataset"
_CREATORS = (
    *("tensorflow.data.Dataset.", "tensorflow.data.TFRecordDataset"),
    *("tensorflow.data.TextLineDataset", "tensorflow.data.FixedLengthRecordDataset"),
    *("tensorflow.data.experimental.", "tensorflow.compat.v1.data."),
    *("tensorflow_datasets.load", "tensorflow_datasets.as_dataset"),
)
_COMBINING = ("zip", "sample_from_datasets", "choose_from_datasets")
#: Methods of a dataset that return a dataset.
_METHODS = frozenset(
    (
        *("apply", "batch", "bucket_by_sequence_length", "cache", "concatenate", "enumerate"),
        *("filter", "flat_map", "interleave", "map", "padded_batch", "prefetch"),
        *("ragged_batch", "rebatch", "repeat", "scan", "shard", "shuffle", "skip", "snapshot"),
        *("take", "take_while", "unbatch", "unique", "window", "with_options", "zip"),
    )
)


class State(Enum):
    """What a loader is, as far as datasets are concerned."""

    WRAPPED = "wrapped"
    UNWRAPPED = "unwrapped"
    OTHER = "other"  #: no dataset
    UNKNOWN = "unknown"


def returned_loaders(trial: Trial) -> Iterator[tuple[ast.expr, Role, set[State]]]:
    """The expressions that are returned as loaders, each with what it may be.

    A pair that is not written where it is returned, such as a helper's result, is followed to where
    it is.
    """
    for function, role in returning(trial):
        for value in trial.flow.returned(function):
            if role is not None:
                yield value, role, states(trial, value)
                continue
            for member, its_role in _members(trial, value):
                yield member, its_role, states(trial, member)


def _members(trial: Trial, value: ast.expr) -> Iterator[tuple[ast.expr, Role]]:
    """The two loaders of a pair, where they are written."""
    for pair in _pairs(trial, value):
        if pair is not None:
            yield from zip(pair.elts, Role, strict=True)


def _pairs(trial: Trial, value: ast.expr) -> Iterator[ast.Tuple | ast.List | None]:
    """The pairs that an expression may be; None for one that cannot be followed."""
    for origin in trial.flow.origins(value):
        node = origin.node
        is_pair = isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2
        yield node if is_pair and not origin.path else None  # type: ignore[misc]


def states(trial: Trial, node: ast.expr, path: Path = (), depth: int = 0) -> set[State]:
    """What an expression may be."""
    if depth > 12:
        return {State.UNKNOWN}
    found: set[State] = set()
    for origin in trial.flow.origins(node, path):
        found |= _state(trial, origin.node, origin.path, depth)
    return found or {State.UNKNOWN}


def _state(trial: Trial, node: ast.AST, path: Path, depth: int) -> set[State]:
    if isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.Constant):
        return {State.OTHER}
    if not isinstance(node, ast.Call):
        return {State.UNKNOWN}
    dotted = trial.modules.meaning(node.func) or ""
    if dotted == WRAP:
        return {State.WRAPPED}
    if dotted in names.LOADERS or dotted.startswith("pedl.data."):
        return {State.OTHER}
    if dotted.startswith(_CREATORS):
        parts = _parts(trial, node) if dotted.rpartition(".")[2] in _COMBINING else set()
        return {State.WRAPPED} if State.WRAPPED in parts else {State.UNWRAPPED}
    if isinstance(node.func, ast.Attribute):
        return _state_of_method(trial, node, node.func, path, depth)
    return {State.OTHER if _makes_object(trial, node) else State.UNKNOWN}


def _state_of_method(
    trial: Trial, call: ast.Call, func: ast.Attribute, path: Path, depth: int
) -> set[State]:
    if func.attr == "wrap_dataset":
        return {State.WRAPPED}
    if func.attr == "as_dataset":
        return {State.UNWRAPPED}
    if func.attr.startswith("flow"):  # of an ImageDataGenerator
        return {State.OTHER}
    if func.attr in _METHODS and not path:
        found = states(trial, func.value, depth=depth + 1)
        joined = _parts(trial, call) if func.attr in ("concatenate", "zip") else set()
        return {State.WRAPPED} if State.WRAPPED in joined else found
    return {State.OTHER if _makes_object(trial, call) else State.UNKNOWN}


def _parts(trial: Trial, call: ast.Call) -> set[State]:
    """What the datasets are of which a call makes one, such as ``Dataset.zip((x, y))``."""
    return {
        state
        for argument in call.args[:1]
        for leaf in _leaves(argument)
        for state in states(trial, leaf, depth=8)
    }


def _leaves(node: ast.expr) -> Iterable[ast.expr]:
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts):
            return [leaf for part in parts for leaf in _leaves(part)]
    return [node]


def _makes_object(trial: Trial, call: ast.Call) -> bool:
    """Whether a call makes an object of a class of the project."""
    found = trial.flow.origins(call.func)
    return bool(found) and all(isinstance(one.node, ast.ClassDef) for one in found)


def uses_datasets(trial: Trial) -> bool:
    """Whether anything in the project speaks of datasets of TensorFlow."""
    return any(
        isinstance(node, ast.Attribute)
        and (node.attr == "as_dataset" or (trial.modules.meaning(node) or "").startswith(_CREATORS))
        for source in trial.modules
        for node in source.names.of(ast.Attribute)
    )


def only_datasets(trial: Trial) -> bool:
    """Whether every loader is certainly a dataset."""
    for function, role in returning(trial):
        for value in trial.flow.returned(function):
            if role is None and None in _pairs(trial, value):
                return False
    found = list(returned_loaders(trial))
    is_dataset = {State.WRAPPED, State.UNWRAPPED}
    roles = {role for _, role, _ in found}
    return len(roles) == 2 and all(one <= is_dataset for _, _, one in found)


def unwrapped_out_of_reach(trial: Trial) -> bool:
    """Whether a dataset may be unwrapped and is returned where the context cannot be had."""
    return any(
        is_to_be_wrapped(trial, found) and trial.context.at(member) is None
        for member, _, found in returned_loaders(trial)
    ) or (trial.loaders is None and uses_datasets(trial))


def is_to_be_wrapped(trial: Trial, found: set[State]) -> bool:
    """Whether a loader must be wrapped, which Determined insists on for a dataset.

    Code that wraps some dataset is expected to wrap all of which it is not known.
    """
    if State.UNWRAPPED in found:
        return True
    return State.UNKNOWN in found and not trial.uses(WRAP) and uses_datasets(trial)
