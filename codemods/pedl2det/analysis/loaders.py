"""What the data loaders of a trial are, and whether they can be written as plain values."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

import pedl2det_names as names
from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.batch_size import is_batch_size
from pedl2det.analysis.flow import Function, Use, Way, by_position
from pedl2det.analysis.paths import is_always_returned
from pedl2det.analysis.trial import Reference, Trial

TRAINING_METHOD = "build_training_data_loader"
VALIDATION_METHOD = "build_validation_data_loader"
_TRAINING = "training_data"
RECORD_LOADERS = frozenset(
    f"pedl.data.{name}" for name in ("ArrayBatchLoader", "BatchLoader", "SliceBatchLoader")
)
ADAPTER_PARAMETERS = ("sequence", "use_multiprocessing", "workers", "max_queue_size")
ARRAYS_PARAMETERS = ("data", "labels", "batch_size", "sample_weight", "drop_leftovers")


class Role(Enum):
    """What a loader is for."""

    TRAINING = 0
    VALIDATION = 1


# Roles of loaders.


def returning(trial: Trial) -> Iterator[tuple[Function, Role | None]]:
    """The functions that return loaders; one without a role returns a pair."""
    if trial.loaders is not None:
        yield trial.loaders, None
    else:
        for _, method in trial.methods(TRAINING_METHOD):
            yield method, Role.TRAINING
        for _, method in trial.methods(VALIDATION_METHOD):
            yield method, Role.VALIDATION


def roles_of(trial: Trial, call: ast.expr, within: frozenset[ast.AST] = frozenset()) -> set[Role]:
    """What a value is returned for as a loader; empty if it is used for anything else.

    Args:
        trial: the project.
        call: the value.
        within: adapters that it is known to be in.
    """
    found = {_role(trial, use, within) for use in trial.flow.uses(call)}
    return set() if None in found else {one for one in found if one is not None}


def _role(trial: Trial, use: Use, within: frozenset[ast.AST]) -> Role | None:
    if use.way is Way.ARGUMENT and isinstance(use.around, ast.Call) and not use.path:
        return _role_through_adapter(trial, use.node, use.around, within)
    if use.way is not Way.RETURNED:
        return None
    for function, role in returning(trial):
        if function is use.function:
            if role is not None:
                return None if use.path else role
            return next((one for one in Role if use.path == (one.value,)), None)
    return None


def _role_through_adapter(
    trial: Trial, node: ast.expr, call: ast.Call, within: frozenset[ast.AST]
) -> Role | None:
    """The role of a sequence inside of an adapter that leaves nothing but its sequence."""
    if call in within:  # a loop hands the adapter to itself
        return None
    for reference in trial.uses(*names.ADAPTERS):
        if reference.call is call:
            role = plain_adapter(trial, reference, within)
            given = arguments_of(call, ADAPTER_PARAMETERS, data="sequence") or {}
            return role if given.get("sequence") is node else None
    return None


# Names of attributes of a trial.


def pair_name(trial: Trial) -> str:
    """The attribute for both loaders, which no class of the trial uses for something else."""
    return _free(trial, "data_loaders", "both_data_loaders", "det_data_loaders")


def training_name(trial: Trial) -> str:
    """The attribute for the training data; the one that every loader method returns, if it does."""
    is_returned = all(
        ast.unparse(value) == f"{by_position(method)[0].arg}.{_TRAINING}"
        for _, method in trial.methods(TRAINING_METHOD)
        for value in trial.flow.returned(method)
    )
    if is_returned and not any(True for _ in trial.methods(_TRAINING)):
        return _TRAINING
    return _free(trial, _TRAINING, "epoch_data", "det_training_data")


def _free(trial: Trial, *candidates: str) -> str:
    """The first of some names that no class of the trial uses, also as a text for ``setattr``."""
    taken = {
        getattr(node, field, None)
        for owner in trial.classes
        for node in trial.modules.home(owner).names.below(owner)
        for field in ("attr", "name", "id", "value")
    }
    return next(name for name in candidates if name not in taken)


# Old data objects.


def needs_unwrapping(trial: Trial) -> bool:
    """Whether a loader may be an old data object that the loader methods have to unwrap.

    Adapters in a plain form become ``configure_fit``. All others, and record loaders, keep a class
    of their own in ``legacy_keras``, which ``training_loader`` and ``validation_loader`` know.
    """
    return any(
        not one.is_in_annotation and plain_adapter(trial, one) is None
        for one in trial.uses(*names.ADAPTERS)
    ) or not all(one.is_in_annotation for one in trial.uses(*RECORD_LOADERS))


def plain_adapter(
    trial: Trial, reference: Reference, within: frozenset[ast.AST] = frozenset()
) -> Role | None:
    """The role of an adapter whose settings can become ``configure_fit``.

    That is an adapter with visible settings that is returned as one of the two loaders, and always
    returned once it is made.

    Args:
        trial: the project.
        reference: the name of the class where it is used.
        within: adapters that it is known to be in.
    """
    call = reference.call
    if call is None or trial.context.at(call) is None:
        return None
    given = arguments_of(call, ADAPTER_PARAMETERS, data="sequence")
    if given is None or "sequence" not in given:
        return None
    roles = roles_of(trial, call, within | {call})
    if len(roles) != 1:
        return None
    (role,) = roles
    entries = [function for function, _ in returning(trial)]
    has_settings = role is Role.TRAINING and len(given) > 1
    if has_settings and not is_always_returned(trial, call, role.value, entries):
        return None
    return role


def is_plain_in_memory(trial: Trial, reference: Reference) -> bool:
    """Whether an ``InMemorySequence`` can become a tuple of its arrays."""
    call = reference.call
    given = arguments_of(call, ARRAYS_PARAMETERS) if call is not None else None
    if call is None or given is None or not {"data", "labels", "batch_size"} <= given.keys():
        return False
    if not roles_of(trial, call) or not is_batch_size(trial, given["batch_size"]):
        return False
    drop = given.get("drop_leftovers")
    if drop is not None and not (isinstance(drop, ast.Constant) and drop.value is False):
        return False
    if "sample_weight" in given and _does_work(given["sample_weight"]):
        return False
    return not _swaps_work(call, given)


def cuts_by_hyperparameter(trial: Trial) -> bool:
    """Whether records are cut into batches of the hyperparameter ``batch_size``.

    A ``KerasTrial`` said the size in its method ``batch_size``.
    """
    returned = [
        value for _, method in trial.methods("batch_size") for value in trial.flow.returned(method)
    ]
    return all(is_batch_size(trial, value) for value in returned)


def cut_size(trial: Trial, context: str) -> str:
    """The argument for the pieces that cut records into batches; empty if nothing is cut."""
    if not trial.uses(*RECORD_LOADERS):
        return ""
    if cuts_by_hyperparameter(trial):
        return f", {context}.get_per_slot_batch_size()"
    return ", self.batch_size()"


def _does_work(node: ast.expr) -> bool:
    return any(isinstance(one, ast.Call | ast.Await | ast.NamedExpr) for one in ast.walk(node))


def _swaps_work(call: ast.Call, given: dict[str, ast.expr]) -> bool:
    """Whether a tuple would compute labels and data in another order, and that may matter."""
    data, labels = given["data"], given["labels"]
    values = [*call.args, *(one.value for one in call.keywords)]
    return values.index(labels) < values.index(data) and _does_work(data) and _does_work(labels)
