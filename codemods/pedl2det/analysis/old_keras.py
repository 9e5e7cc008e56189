"""What old code means by names of Keras: whether it is old, and what its calls become."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pedl2det_names as names
from pedl2det.analysis.trial import Generation, Reference, Trial
from pedl2det.fixes import AddArgument, DropArgument, Edit, RenameKeyword

KERAS = "tensorflow.keras"
OPTIMIZERS = f"{KERAS}.optimizers"
LEGACY = f"{OPTIMIZERS}.legacy"
#: Keyword arguments of optimizers that no optimizer of today takes.
OLD_KEYWORDS = frozenset({"lr", "decay"})
#: Where the positional arguments with other defaults stand.
_POSITIONS = {"recurrent_activation": 2}


def is_old(trial: Trial) -> bool:
    """Whether a project was written for TensorFlow 1 or standalone Keras.

    Names that exist today and meant something else then (``changed`` in the table of names) mean
    the old thing only in such code.
    """
    if trial.generation is not Generation.CONTEXT:
        return True
    return any(
        one.row is not None and not one.row.changed and one.row.since.startswith("TensorFlow 2.0")
        for one in trial.all_references
    )


def meant(reference: Reference, old: bool) -> names.Name | None:
    """The row of a reference, if it applies to code of this age."""
    row = reference.row
    if row is None or not row.changed or old:
        return row
    call = reference.call
    said = {one.arg for one in call.keywords} if call is not None else set()
    return row if said & OLD_KEYWORDS and is_optimizer(row) else None


def is_optimizer(row: names.Name) -> bool:
    """Whether an old name is an optimizer's class, of any Keras or of ``tf.train``."""
    is_class = (row.new or "").startswith(f"{LEGACY}.") and row.new != f"{LEGACY}.Optimizer"
    return is_class or (row.support or "").endswith("Optimizer")


def is_layer(row: names.Name) -> bool:
    """Whether an old name is a layer that had other defaults."""
    return (row.new or "").startswith(f"{KERAS}.layers.") and bool(row.defaults)


def is_standalone(dotted: str) -> bool:
    """Whether a name belongs to standalone Keras."""
    return dotted.partition(".")[0] == "keras"


def imports_standalone(trial: Trial) -> bool:
    """Whether a project uses standalone Keras, and not a module of its own of that name."""
    return any(is_standalone(one.dotted) for one in trial.all_references)


def call_edits(call: ast.Call, row: names.Name) -> list[Edit] | None:
    """The edits that give a call today's arguments; None if they are not all visible."""
    edits: list[Edit] = []
    given: set[str | None] = set()
    hidden = any(isinstance(one, ast.Starred) for one in call.args)
    if row.parameters and (hidden or len(call.args) > len(row.parameters)):
        return None
    for place, argument in enumerate(call.args if row.parameters else ()):
        new = row.keywords.get(row.parameters[place], row.parameters[place])
        given.add(new)
        if place:
            edits.append(DropArgument(call, argument))
        if place and new is not None:
            edits.append(AddArgument(call, f"{new}={{value}}", holes={"value": argument}))
    for keyword in call.keywords:
        hidden |= keyword.arg is None
        new = row.keywords.get(keyword.arg or "", keyword.arg)
        given.add(new)
        if keyword.arg is not None and new is None:
            edits.append(DropArgument(call, keyword))
        elif new is not None and new != keyword.arg:
            edits.append(RenameKeyword(keyword, new))
    missing = dict(_missing(call, row, given))
    if missing and hidden:
        return None
    edits += [AddArgument(call, f"{name}={value}") for name, value in missing.items()]
    return edits


def _missing(call: ast.Call, row: names.Name, given: set[str | None]) -> Iterator[tuple[str, str]]:
    """The arguments with other defaults that a call leaves out."""
    for name, value in row.defaults.items():
        at = _POSITIONS.get(name)
        first = (row.parameters or ("learning_rate",))[0]
        is_first = name == row.keywords.get(first, first) and bool(call.args)
        by_position = is_first or (at is not None and len(call.args) > at)
        if name not in given and not by_position:
            yield name, value


def standalone_defaults(name: str) -> str:
    """The arguments that an optimizer of standalone Keras had by default and has not today."""
    row = names.lookup(f"keras.optimizers.{name}")
    return ", ".join(f"{key}={value}" for key, value in row.defaults.items()) if row else ""
