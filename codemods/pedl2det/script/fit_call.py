"""What a call of ``fit`` says, as far as the old harness heeded it.

It trained for as long as the config said, in the data's own order: epochs, steps, shuffle and
verbose had no effect (runtime/pedl2det_runtime/script.py).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pedl2det.facts.arguments import arguments_of
from pedl2det.findings import Unclear
from pedl2det.script.data import check_data, check_processes
from pedl2det.script.parts import Parts
from pedl2det.script.walk import bound_names
from pedl2det.tables.legacy import is_legacy

_COMMON = ("epochs", "verbose", "callbacks")
PARAMETERS = {
    "fit": (
        *("x", "y", "batch_size", *_COMMON, "validation_split", "validation_data", "shuffle"),
        *("class_weight", "sample_weight", "initial_epoch", "steps_per_epoch"),
        *("validation_steps", "validation_batch_size", "validation_freq", "max_queue_size"),
        *("workers", "use_multiprocessing"),
    ),
    "fit_generator": (
        *("generator", "steps_per_epoch", *_COMMON, "validation_data", "validation_steps"),
        *("validation_freq", "class_weight", "max_queue_size", "workers", "use_multiprocessing"),
        *("shuffle", "initial_epoch"),
    ),
}
SETTINGS = ("class_weight", "validation_steps", "workers", "use_multiprocessing", "max_queue_size")


@dataclass(frozen=True)
class FitCall:
    """What a call of ``fit`` trains on.

    Attributes:
        training: the data: one Sequence, or the arrays of a tuple.
        validation: the validation data.
        settings: what ``configure_fit`` is told, by name.
        callbacks: the list of callbacks, if there is one.
        batch_size: records in a batch that is cut from arrays, if the call says it.
    """

    training: tuple[ast.expr, ...]
    validation: ast.expr
    settings: dict[str, ast.expr]
    callbacks: ast.List | None
    batch_size: ast.expr | None

    @property
    def is_cut(self) -> bool:
        """Whether batches are cut from arrays for the training."""
        return len(self.training) > 1


def fit_call(parts: Parts) -> FitCall:
    """Read the call.

    Raises:
        Unclear: it hides arguments, has no validation data, or data that no trial may return.
    """
    call = parts.call
    assert isinstance(call.func, ast.Attribute)
    parameters = PARAMETERS[call.func.attr]
    arguments = arguments_of(call, parameters)
    if arguments is None:
        raise Unclear(call, "* or ** hides what fit is told")
    unknown = sorted(arguments.keys() - set(parameters))
    if unknown or len(call.args) > len(parameters):
        raise Unclear(call, f"fit has no argument {', '.join(unknown) or 'so far back'}")
    given = {
        name: value
        for name, value in arguments.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    if "validation_data" in given and values.index(given["validation_data"]) == 0:
        raise Unclear(call, "validation_data stands first: let the training data be made before")
    if "validation_data" not in given:
        message = (
            "fit is told no validation_data, which is required: validation_split is not served"
        )
        raise Unclear(call, message)
    x = given.get("x", given.get("generator"))
    if x is None:
        raise Unclear(call, "fit is told no data")
    arrays = ("y", "sample_weight") if "y" in given else ()
    training = (x, *(given[name] for name in arrays if name in given))
    for data in (*training[:1], given["validation_data"]):
        check_data(parts, data, is_whole=data is not x or len(training) == 1)
    _check_history(parts)
    check_processes(parts, x, given.get("use_multiprocessing"))
    return FitCall(
        training,
        given["validation_data"],
        {name: given[name] for name in SETTINGS if name in given},
        _callbacks(parts, given.get("callbacks")),
        given.get("batch_size"),
    )


def _check_history(parts: Parts) -> None:
    """``history = model.fit(...)`` may be written, but its value may not be used."""
    if not isinstance(parts.fit, ast.Assign):
        return
    name = min(bound_names([parts.fit]))
    for statement in parts.after:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == name:
                message = f"{name} is used after fit: it is empty, the metrics are in the reports"
                raise Unclear(node, message)


def _callbacks(parts: Parts, value: ast.expr | None) -> ast.List | None:
    """The list of callbacks, if all are of the old API: others act by epoch."""
    if value is None or (isinstance(value, ast.List) and not value.elts):
        return None
    if isinstance(value, ast.List) and all(
        isinstance(element, ast.Call)
        and is_legacy(parts.source.names.qualified(element.func) or "")
        for element in value.elts
    ):
        return value
    message = (
        f"{parts.source.segment(value)}: an epoch was one pass over the data, with training logs; "
        "in the context-based API it is records_per_epoch, with empty logs: decide which hooks "
        "these callbacks need"
    )
    raise Unclear(value, message)
