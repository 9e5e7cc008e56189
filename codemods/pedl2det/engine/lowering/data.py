"""What a script gives to ``fit`` to train and to validate on."""

from __future__ import annotations

import ast
from enum import Enum

from pedl2det.analysis.flow import Origin, argument_for, by_position
from pedl2det.analysis.flow.signatures import default_of
from pedl2det.engine.lowering.command_line import option_default
from pedl2det.engine.lowering.fits import Fits

_DATASETS = ("tensorflow.data.", "tensorflow.compat.v1.data.", "tensorflow_datasets.")
_DATASET_METHODS = frozenset(
    {
        *("batch", "cache", "filter", "interleave", "map", "padded_batch", "prefetch", "repeat"),
        *("shuffle", "skip", "take", "zip"),
    }
)
_FLOWS = ("flow", "flow_from_directory", "flow_from_dataframe")
#: Methods that make batches, and those of batches that leave their records as they are.
_BATCHING = ("batch", "padded_batch")
_KEEPING = ("cache", "filter", "map", "prefetch", "repeat", "shuffle", "skip", "take")
_ADAPTERS = ("KerasDataAdapter", "SequenceAdapter")
_OLD_SEQUENCES = ("InMemorySequence", *_ADAPTERS)


class Data(Enum):
    """What a value is, as data for ``fit``."""

    ARRAYS = "arrays"  #: a tuple or list of arrays
    SEQUENCE = "sequence"
    DATASET = "dataset"
    UNKNOWN = "unknown"


def data_of(fits: Fits, node: ast.expr) -> Data:
    """What an expression is; unknown if it may be several things."""
    found = {_data(fits, one) for one in fits.flow.origins(node)}
    return found.pop() if len(found) == 1 else Data.UNKNOWN


def _data(fits: Fits, origin: Origin) -> Data:
    node = origin.node
    if origin.path:
        return Data.UNKNOWN
    if isinstance(node, ast.Tuple | ast.List):
        return Data.ARRAYS
    if not isinstance(node, ast.Call):
        return Data.UNKNOWN
    meaning = fits.modules.meaning(node.func) or ""
    if meaning.rpartition(".")[2] in _OLD_SEQUENCES:
        return Data.SEQUENCE
    if meaning.startswith(_DATASETS):
        return Data.DATASET
    for made in fits.flow.origins(node.func):
        if isinstance(made.node, ast.ClassDef) and not made.path:
            return _object_of(fits, made.node)
    if isinstance(node.func, ast.Attribute) and not fits.flow.called(node):
        if node.func.attr in _FLOWS:
            return Data.SEQUENCE
        if node.func.attr in _DATASET_METHODS and data_of(fits, node.func.value) is Data.DATASET:
            return Data.DATASET
    return Data.UNKNOWN


def _object_of(fits: Fits, owner: ast.ClassDef) -> Data:
    """What an object of a class of the project is."""
    bases = {
        (fits.modules.meaning(base) or ast.unparse(base)).rpartition(".")[2]
        for one in fits.flow.bases(owner)
        for base in one.bases
    }
    is_sequence = fits.flow.method(owner, "__getitem__") is not None
    return Data.SEQUENCE if is_sequence or bases & {"Sequence", "Iterator"} else Data.UNKNOWN


def number(fits: Fits, node: ast.expr) -> int | float | None:
    """The number that an expression always is, if that can be seen."""
    found = {_number(fits, one) for one in fits.flow.origins(node)}
    return found.pop() if len(found) == 1 else None


def _number(fits: Fits, origin: Origin) -> int | float | None:
    if origin.path:
        return None
    match origin.node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.Attribute() as node:
            default = option_default(fits.modules.home(node), node)
            return number(fits, default) if default is not None else None
    return None


def is_hyperparameter(fits: Fits, node: ast.expr, name: str) -> bool:
    """Whether an expression is one hyperparameter of the config, as one process gets it."""
    found = fits.flow.origins(node)
    return bool(found) and all(_is_asked(fits, one, name) for one in found)


def _is_asked(fits: Fits, origin: Origin, name: str) -> bool:
    node = origin.node
    if origin.path or not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and node.func.id == "int" and len(node.args) == 1:
        return is_hyperparameter(fits, node.args[0], name)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get_per_slot_batch_size":
        return True
    keys = [*node.args, *(one.value for one in node.keywords)]
    values = [one.node for key in keys for one in fits.flow.origins(key)]
    return (fits.modules.meaning(node.func) or "") == "pedl.get_hyperparameter" and [
        one.value for one in values if isinstance(one, ast.Constant)
    ] == [name]


def records_in_batch(fits: Fits, node: ast.expr) -> int | None:
    """The records in a batch of a Sequence or a dataset, if the calls that make it say the number.

    Args:
        fits: the trainings of the project.
        node: the data.
    """
    found = {_records(fits, one) for one in fits.flow.origins(node)}
    return found.pop() if len(found) == 1 else None


def _records(fits: Fits, origin: Origin) -> int | None:
    call = origin.node
    if origin.path or not isinstance(call, ast.Call):
        return None
    given = {one.arg: one.value for one in call.keywords}
    size = given.get("batch_size")
    name = (fits.modules.meaning(call.func) or ast.unparse(call.func)).rpartition(".")[2]
    if name in _BATCHING and call.args:
        size = call.args[0]
    elif name in _KEEPING and isinstance(call.func, ast.Attribute):
        return records_in_batch(fits, call.func.value)
    elif name in _ADAPTERS:
        inner = [*call.args[:1], *(given[one] for one in ("data", "sequence") if one in given)]
        return records_in_batch(fits, inner[0]) if inner else None
    elif name == "InMemorySequence" and len(call.args) > 2:
        size = call.args[2]
    for function in fits.flow.called(call):
        size = size or argument_for(fits.flow.call_of(call, function), function, "batch_size")
        parameters = [*by_position(function), *function.args.kwonlyargs]
        own = next((one for one in parameters if one.arg == "batch_size"), None)
        size = size or (default_of(function, own) if own is not None else None)
    value = number(fits, size) if size is not None else None
    return None if value is None else int(value)
