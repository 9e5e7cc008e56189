"""The arguments of a call of ``fit`` or ``fit_generator``, by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pedl2det.engine.lowering.fits import Fits

_COMMON = ("epochs", "verbose", "callbacks")
_PARAMETERS = {
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
_OTHER_NAMES = {"generator": "x", "nb_epoch": "epochs", "nb_val_samples": "validation_steps"}


@dataclass(frozen=True)
class Given:
    """An argument.

    Attributes:
        node: its value, for the value flow.
        code: the code of the value where it cannot be taken from the call: ``options["y"]``.
    """

    node: ast.expr
    code: str = ""


@dataclass(frozen=True)
class FitCall:
    """A call that trains.

    Attributes:
        call: the call.
        model: the expression of the model.
        given: its arguments by name, those that are None left out; ``*data`` that is the inputs and
            the targets is ``pair``.
        hidden: an argument with ``*`` or ``**`` that cannot be seen through.
    """

    call: ast.Call
    model: ast.expr
    given: dict[str, Given]
    hidden: ast.expr | None = None

    @property
    def is_cut(self) -> bool:
        """Whether batches are cut from arrays for the training."""
        return bool({"y", "pair"} & self.given.keys())


def read_fit(fits: Fits, call: ast.Call) -> FitCall:
    """Read a call that trains."""
    assert isinstance(call.func, ast.Attribute)
    parameters = _PARAMETERS[call.func.attr]
    found: dict[str, Given] = {}
    hidden: ast.expr | None = None
    for name, value in zip(parameters, call.args, strict=False):
        if isinstance(value, ast.Starred):
            if name == "x" and len(call.args) == 1 and _is_pair(fits, value.value):
                found["pair"] = Given(value.value)
            else:
                hidden = value
            break
        found[name] = Given(value)
    for keyword in call.keywords:
        if keyword.arg is not None:
            found[keyword.arg] = Given(keyword.value)
            continue
        members = _members(fits, keyword.value)
        if members is None:
            hidden = keyword.value
        else:
            found |= members
    given = {
        _OTHER_NAMES.get(name, name): one
        for name, one in found.items()
        if not (isinstance(one.node, ast.Constant) and one.node.value is None)
    }
    return FitCall(call, call.func.value, given, hidden)


def _is_pair(fits: Fits, node: ast.expr) -> bool:
    """Whether a value has two members, the inputs and the targets."""
    origins = fits.flow.origins(node)
    return bool(origins) and all(
        isinstance(one.node, ast.Tuple | ast.List) and len(one.node.elts) == 2 and not one.path
        for one in origins
    )


def _members(fits: Fits, node: ast.expr) -> dict[str, Given] | None:
    """The members of a dict of options, if they are all written in one place."""
    members = members_of(fits, node)
    if members is None:
        return None
    if isinstance(node, ast.Dict | ast.Call):
        return {name: Given(value) for name, value in members.items()}
    text = fits.modules.home(node).segment(node)
    return {name: Given(value, f'{text}["{name}"]') for name, value in members.items()}


def members_of(fits: Fits, node: ast.expr) -> dict[str, ast.expr] | None:
    """The values of a dict by their keys; None if they are not all visible."""
    origins = fits.flow.origins(node)
    if len(origins) != 1 or origins[0].path:
        return None
    made = origins[0].node
    if isinstance(made, ast.Dict):
        keys = [one.value if isinstance(one, ast.Constant) else one for one in made.keys]
        pairs = list(zip(keys, made.values, strict=True))
    elif isinstance(made, ast.Call) and ast.unparse(made.func) == "dict" and not made.args:
        pairs = [(one.arg, one.value) for one in made.keywords]
    else:
        return None
    found: dict[str, ast.expr] = {}
    for key, value in pairs:
        inner = members_of(fits, value) if key is None else {}
        if inner is None or not (key is None or isinstance(key, str)):
            return None
        found |= {key: value} if isinstance(key, str) else inner
    return found
