"""Calls of ``fit`` and ``fit_generator``: their arguments by name."""

from __future__ import annotations

import ast

from pedl2det.fixes import AddArgument, Edit, RenameKeyword, Replace

_COMMON = ("epochs", "verbose", "callbacks")
_PARAMETERS = {
    "fit": (
        *("x", "y", "batch_size", *_COMMON, "validation_split", "validation_data", "shuffle"),
        *("class_weight", "sample_weight", "initial_epoch", "steps_per_epoch"),
        *("validation_steps", "validation_batch_size", "validation_freq", "max_queue_size"),
        *("workers", "use_multiprocessing"),
    ),
    "fit_generator": (
        *("x", "steps_per_epoch", *_COMMON, "validation_data", "validation_steps"),
        *("validation_freq", "class_weight", "max_queue_size", "workers", "use_multiprocessing"),
        *("shuffle", "initial_epoch"),
    ),
}
_PARAMETERS["Fit"] = ("model", *_PARAMETERS["fit"])  # of a call that is written already
_NEW_NAMES = {"generator": "x", "nb_epoch": "epochs", "nb_val_samples": "validation_steps"}


def arguments_of(call: ast.Call) -> dict[str, ast.expr]:
    """The arguments that can be seen, by name; those that are None are left out."""
    assert isinstance(call.func, ast.Attribute)
    found = dict(zip(_PARAMETERS[call.func.attr], _before_star(call), strict=False))
    for one in call.keywords:
        if one.arg is not None:
            found[_NEW_NAMES.get(one.arg, one.arg)] = one.value
    return {
        name: value
        for name, value in found.items()
        if not (isinstance(value, ast.Constant) and value.value is None)
    }


def hides_arguments(call: ast.Call) -> bool:
    """Whether a call has arguments with ``*`` or ``**``."""
    return len(_before_star(call)) < len(call.args) or any(one.arg is None for one in call.keywords)


def _before_star(call: ast.Call) -> list[ast.expr]:
    starred = [number for number, one in enumerate(call.args) if isinstance(one, ast.Starred)]
    return call.args[: starred[0]] if starred else call.args


def as_record(call: ast.Call) -> list[Edit]:
    """The edits that write ``legacy_keras.Fit(model, ...)`` for ``model.fit(...)``."""
    assert isinstance(call.func, ast.Attribute)
    edits: list[Edit] = [
        Replace(call.func, "legacy_keras.Fit"),
        AddArgument(call, "{model}", first=True, holes={"model": call.func.value}),
    ]
    for one in call.keywords:
        if one.arg in _NEW_NAMES:
            edits.append(RenameKeyword(one, _NEW_NAMES[one.arg]))
    if call.func.attr == "fit_generator":
        names = zip(_PARAMETERS["fit_generator"], _before_star(call), strict=False)
        edits += [RenameKeyword(value, name) for name, value in list(names)[1:]]
    return edits
