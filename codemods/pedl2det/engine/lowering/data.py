"""How many records the batches have that a script gives to ``fit``."""

from __future__ import annotations

import ast

from pedl2det.analysis.flow import Origin, argument_for, by_position
from pedl2det.analysis.flow.signatures import default_of
from pedl2det.engine.lowering.command_line import option_default
from pedl2det.engine.lowering.fits import Fits

#: Methods that make batches, and those of batches that leave their records as they are.
_BATCHING = ("batch", "padded_batch")
_KEEPING = ("cache", "filter", "map", "prefetch", "repeat", "shuffle", "skip", "take")
_ADAPTERS = ("KerasDataAdapter", "SequenceAdapter")


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
