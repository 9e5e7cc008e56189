"""What the loaders of a trial return: the data that a script gave to ``fit``."""

from __future__ import annotations

import ast
import math
from typing import Literal

from pedl2det.engine.lowering.data import Data, data_of, is_hyperparameter, number
from pedl2det.engine.lowering.fit_call import FitCall, Given
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.lowered import Facts
from pedl2det.engine.lowering.recording import Recorded
from pedl2det.engine.lowering.records import records
from pedl2det.findings import Kind

KERAS_BATCH = 32  # what Keras took where fit named no batch size

Size = int | Literal["hyperparameter"] | Given

_NO_VALIDATION = "fit gets no validation_data, which every trial needs"
_WRITE_VALIDATION = "return the validation data from build_validation_data_loader"
_SPLIT = (
    "validation_split is done before the training: the last {} of the records are for validation"
)
_NO_STEPS = "a generator of validation data needs validation_steps"


def size_of(fits: Fits, fit: FitCall) -> Size:
    """Records in a batch that is cut from arrays, or that an image iterator gives."""
    given = fit.given.get("batch_size")
    if given is None and not fit.is_cut and "x" in fit.given:
        return flow_size(fits, fit.given["x"].node) or KERAS_BATCH
    return _as_size(fits, given)


def _as_size(fits: Fits, given: Given | None) -> Size:
    if given is None:
        return KERAS_BATCH
    if is_hyperparameter(fits, given.node, "batch_size"):
        return "hyperparameter"
    value = number(fits, given.node)
    return int(value) if value is not None else given


def flow_size(fits: Fits, node: ast.expr) -> int | None:
    """The ``batch_size`` that the call which makes an iterator says."""
    for origin in fits.flow.origins(node):
        if isinstance(origin.node, ast.Call) and not origin.path:
            for one in origin.node.keywords:
                if one.arg == "batch_size":
                    value = number(fits, one.value)
                    return None if value is None else int(value)
    return None


def keep_data(fits: Fits, fit: FitCall, facts: Facts, made: Recorded, size: Size) -> None:
    """Keep what the loaders return."""
    given = fit.given
    if "pair" in given:
        pair = _as_tuple(fits, made, given["pair"], made.hole("pair", given["pair"]))
        made.keep("training_data", _cut(made, pair, size, facts))
    names = [name for name in ("x", "y", "sample_weight") if name in given]
    if "y" in given:
        parts = ", ".join(made.hole(name, given[name]) for name in names)
        if "validation_data" not in given and "validation_split" in given:
            _split(fit, facts, made, parts, size)
            return
        count = records(fits, given["x"].node)
        is_small = count is not None and count < _most_records(size, facts)
        made.keep("training_data", _cut(made, f"({parts})", size, facts, is_own=is_small))
    elif "x" in given and "pair" not in given:
        made.keep("training_data", _training(fits, fit, facts, made))
    if "validation_data" in given:
        made.keep("validation_data", _validation(fits, fit, facts, made, size))
    else:
        made.has_validation = False
        made.said.append((Kind.LEFT, _NO_VALIDATION, _WRITE_VALIDATION))


def _cut(
    made: Recorded,
    code: str,
    size: Size,
    facts: Facts,
    batches: str = "",
    is_own: bool = False,
) -> str:
    """Arrays, which Determined cuts by the batch size of the config if it may."""
    is_own = (
        is_own
        or bool(batches)
        or isinstance(size, Given)
        or (isinstance(size, int) and facts.has_batch_size and facts.batch_size != size)
    )
    if not is_own:
        return code
    made.support.append("ArrayBatches")
    if isinstance(size, Given):
        name = "batch_size" if "batch_size" not in made.holes else "validation_batch_size"
        number_ = made.hole(name, size)
    elif size == "hyperparameter":
        number_ = "{trial}.context.get_per_slot_batch_size()"
    else:
        number_ = str(size)
    return f"legacy_keras.ArrayBatches({code}, {number_}{batches})"


def _split(fit: FitCall, facts: Facts, made: Recorded, parts: str, size: Size) -> None:
    fraction = fit.given["validation_split"]
    made.support.append("split_arrays")
    split = made.hole("validation_split", fraction)
    made.lines.append(
        "{trial}.training_data, {trial}.validation_data = "
        f"legacy_keras.split_arrays(({parts}), {split})"
    )
    for name in ("training_data", "validation_data"):
        code = _cut(made, f"{{trial}}.{name}", size, facts)
        if code != f"{{trial}}.{name}":
            made.keep(name, code)
    text = fraction.code or ast.unparse(fraction.node)
    made.said.append((Kind.NOTE, _SPLIT.format(text), ""))


def _training(fits: Fits, fit: FitCall, facts: Facts, made: Recorded) -> str:
    data = made.hole("x", fit.given["x"])
    kind = data_of(fits, fit.given["x"].node)
    steps = fit.given.get("steps_per_epoch")
    length = made.hole("steps", steps) if steps is not None else str(facts.batches_per_step)
    if kind is Data.GENERATOR:
        made.support.append("GeneratedBatches")
        return f"legacy_keras.GeneratedBatches({data}, {length})"
    if kind is Data.UNKNOWN:
        made.support.append("batches")
        return f"legacy_keras.batches({data}, default={length})"
    return data


def _validation(fits: Fits, fit: FitCall, facts: Facts, made: Recorded, size: Size) -> str:
    given = fit.given["validation_data"]
    data = made.hole("validation_data", given)
    steps = fit.given.get("validation_steps")
    own = fit.given.get("validation_batch_size")
    kind = data_of(fits, given.node)
    if kind is Data.ARRAYS:
        cut = _as_size(fits, own) if own is not None else _validation_size(fit, size)
        batches = f", {made.hole('validation_steps', steps)}" if steps is not None else ""
        if not fit.is_cut and isinstance(cut, int) and not facts.has_batch_size:
            made.batch_size = cut
        is_own = (fit.is_cut and cut != size) or _may_be_small(fits, given, cut, facts)
        return _cut(made, _as_tuple(fits, made, given, data), cut, facts, batches, is_own)
    if kind is Data.GENERATOR:
        if steps is None:
            made.said.append((Kind.LEFT, _NO_STEPS, "fit(..., validation_steps=...)"))
            return data
        made.support.append("GeneratedBatches")
        return f"legacy_keras.GeneratedBatches({data}, {made.hole('validation_steps', steps)})"
    if steps is None or kind is Data.DATASET:
        return data
    if _is_length_of(steps.node, given.node):
        return data
    piece = "FirstBatches" if kind is Data.SEQUENCE else "batches"
    made.support.append(piece)
    return f"legacy_keras.{piece}({data}, {made.hole('validation_steps', steps)})"


def _may_be_small(fits: Fits, given: Given, size: Size, facts: Facts) -> bool:
    """Whether validation arrays may hold less than a batch, which Determined refuses."""
    found = [
        records(fits, one.node.elts[0])
        for one in fits.flow.origins(given.node)
        if isinstance(one.node, ast.Tuple | ast.List) and one.node.elts
    ]
    known = [one for one in found if one is not None]
    return len(known) < len(found) or min(known) < _most_records(size, facts)


def _most_records(size: Size, facts: Facts) -> float:
    """The records in a batch; infinite if the script does not say it."""
    if isinstance(size, int):
        return size
    return facts.batch_size if size == "hyperparameter" and facts.batch_size else math.inf


def _validation_size(fit: FitCall, size: Size) -> Size:
    """Records in a batch of validation arrays: those of the training, if that cuts arrays too."""
    return size if fit.is_cut or "batch_size" in fit.given else KERAS_BATCH


def _as_tuple(fits: Fits, made: Recorded, given: Given, data: str) -> str:
    """A pair of arrays as a tuple, which a list is no loader for."""
    if isinstance(given.node, ast.List) and "validation_data" in made.holes:
        parts = [
            made.hole(f"validation_{number_}", Given(one))
            for number_, one in enumerate(given.node.elts)
        ]
        del made.holes["validation_data"]
        return f"({', '.join(parts)})"
    is_list = any(isinstance(one.node, ast.List) for one in fits.flow.origins(given.node))
    return f"tuple({data})" if is_list else data


def _is_length_of(steps: ast.expr, data: ast.expr) -> bool:
    """Whether an expression is the length of some data."""
    return ast.unparse(steps) == f"len({ast.unparse(data)})"
