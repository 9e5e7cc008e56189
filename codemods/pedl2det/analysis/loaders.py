"""What the data loaders of a trial are: datasets, Sequences, NumPy arrays, old data objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum

import pedl2det_names as names
from pedl2det.analysis.bindings import Path
from pedl2det.analysis.flow.values import Function, Origin, Use, Way, arguments_of
from pedl2det.analysis.trial import Generation, Reference, Trial

TRAINING_METHOD = "build_training_data_loader"
VALIDATION_METHOD = "build_validation_data_loader"
_PAIRS = ("data_loaders", "both_data_loaders", "det_data_loaders")
RECORD_LOADERS = frozenset(
    f"pedl.data.{name}" for name in ("ArrayBatchLoader", "BatchLoader", "SliceBatchLoader")
)
ADAPTER_PARAMETERS = ("sequence", "use_multiprocessing", "workers", "max_queue_size")
ARRAYS_PARAMETERS = ("data", "labels", "batch_size", "sample_weight", "drop_leftovers")
WRAP = "pedl.frameworks.keras.wrap_dataset"
#: Methods of an ImageDataGenerator that make a Sequence.
FLOWS = ("flow", "flow_from_directory", "flow_from_dataframe")
#: The beginnings of the names of functions that make datasets of TensorFlow.
_DATASETS = (
    *("tensorflow.data.", "tensorflow.compat.v1.data.", "tensorflow.compat.v2.data."),
    "tensorflow_datasets.load",
)
_MENTIONS_DATASETS = re.compile(r"Dataset\b|\b(?:make|as)_(?:\w+_)?dataset\b|\btfds\b")


class Role(Enum):
    """What a loader is for."""

    TRAINING = 0
    VALIDATION = 1


def loader_functions(trial: Trial) -> Iterator[tuple[Function, Role | None]]:
    """The functions that return loaders, with their role; None for one that returns both."""
    if trial.loaders is not None:
        yield trial.loaders, None
    else:
        for _, method in trial.methods(TRAINING_METHOD):
            yield method, Role.TRAINING
        for _, method in trial.methods(VALIDATION_METHOD):
            yield method, Role.VALIDATION


def roles_of(trial: Trial, call: ast.expr) -> set[Role]:
    """The roles in which a value is returned as a loader; empty if it is used for anything else."""
    roles = {_role(trial, use) for use in trial.flow.uses(call)}
    return set() if None in roles else {role for role in roles if role is not None}


def _role(trial: Trial, use: Use) -> Role | None:
    for function, role in loader_functions(trial):
        if use.way is Way.RETURNED and function is use.function:
            if role is not None:
                return None if use.path else role
            return next((candidate for candidate in Role if use.path == (candidate.value,)), None)
    return None


def returned_loaders(trial: Trial) -> Iterator[tuple[Role, list[Origin]]]:
    """The origins of the returned loaders by role, followed through the methods of datasets."""
    for function, role in loader_functions(trial):
        for value in trial.flow.returned(function):
            for loader_role in Role if role is None else [role]:
                path = () if role is not None else (loader_role.value,)
                yield loader_role, made_of(trial, value, path)


def pair_name(trial: Trial) -> str:
    """An unused attribute name for the pair of loaders."""
    return trial.context.unused(*_PAIRS)


def training_name(trial: Trial) -> str:
    """An unused attribute name for the training data."""
    return trial.context.unused("training_data", "epoch_data", "det_training_data")


def keeps_adapters(trial: Trial) -> bool:
    """Whether a loader may be an old data object, whose class ``legacy_keras`` keeps."""
    return any(
        not reference.is_in_annotation and plain_adapter(trial, reference) is None
        for reference in trial.uses(*names.harness.ADAPTERS)
    ) or not all(reference.is_in_annotation for reference in trial.uses(*RECORD_LOADERS))


def needs_unwrapping(trial: Trial) -> bool:
    """Whether only a run shows what the loaders are, so that ``training_loader`` has to check."""
    if keeps_adapters(trial):
        return True
    loaders = [origin for _, origins in returned_loaders(trial) for origin in origins]
    return any(_MENTIONS_DATASETS.search(source.text) for source in trial.modules) and not all(
        is_wrapped(trial, origin) or is_sequence(trial, origin) for origin in loaders
    )


def plain_adapter(trial: Trial, reference: Reference) -> Role | None:
    """The role of a returned adapter with visible settings, which can become ``configure_fit``."""
    call = reference.call
    if call is None or not trial.context.at(call):
        return None
    arguments = arguments_of(call, ADAPTER_PARAMETERS, data="sequence")
    if arguments is None or "sequence" not in arguments:
        return None
    roles = roles_of(trial, call)
    is_lost = Role.TRAINING in roles and len(arguments) > 1 and not _is_always_returned(trial, call)
    return roles.pop() if len(roles) == 1 and not is_lost else None


def _is_always_returned(trial: Trial, loader: ast.expr, depth: int = 0) -> bool:
    """Whether a value is returned where it is made, or is bound last to a name that is returned."""
    within = trial.modules.home(loader).names
    function = within.definition_around(loader)
    returned = trial.flow.returned(function) if isinstance(function, Function) else []
    firsts = [
        result.elts[0] if isinstance(result, ast.Tuple) and result.elts else result
        for result in returned
    ]
    match within.statement_of(loader), firsts:
        case ast.Assign(targets=[target], value=value), [ast.Name() as last] if value is loader:
            is_here = [binding.node for binding in within.bindings(last)][-1:] == [target]
        case _:
            is_here = loader in firsts
    if function is None or not is_here or function in dict(loader_functions(trial)):
        return is_here
    calls = [call.node for call in trial.flow.calls(function)]
    return depth < 4 and all(_is_always_returned(trial, call, depth + 1) for call in calls)


def is_plain_in_memory(trial: Trial, reference: Reference) -> bool:
    """Whether an ``InMemorySequence`` can become a tuple of its arrays."""
    call = reference.call
    arguments = arguments_of(call, ARRAYS_PARAMETERS) if call is not None else None
    if call is None or arguments is None or [*arguments][:2] != ["data", "labels"]:
        return False
    drop = arguments.get("drop_leftovers", ast.Constant(False))
    sizes = [arguments["batch_size"]] if "batch_size" in arguments else []
    for _, method in trial.methods("batch_size"):  # of a KerasTrial
        sizes += trial.flow.returned(method)
    return (
        "batch_size" in arguments
        and isinstance(
            arguments.get("sample_weight"), ast.Name | ast.Constant | ast.Attribute | None
        )
        and isinstance(drop, ast.Constant)
        and drop.value is False
        and bool(roles_of(trial, call))
        and all(
            _is_batch_size(trial, origin) for size in sizes for origin in trial.flow.origins(size)
        )
    )


def cuts_by_hyperparameter(trial: Trial) -> bool:
    """Whether the batch size is a hyperparameter, and not a method of a ``KerasTrial``."""
    return not any(True for _ in trial.methods("batch_size"))


def _is_batch_size(trial: Trial, origin: Origin) -> bool:
    """Whether a value is the hyperparameter ``batch_size``, the size of one slot's batch."""
    match origin.node:
        case ast.arg() as parameter:
            return origin.path == ("batch_size",) and _is_hparams(trial, parameter)
        case ast.Call(func=ast.Attribute(attr="get_per_slot_batch_size")):
            return True
        case ast.Call(func=function, args=[ast.Constant(value="batch_size")]):
            return trial.modules.meaning(function) == names.harness.GET_HYPERPARAMETER
    return False


def _is_hparams(trial: Trial, node: ast.arg) -> bool:
    """Whether the old harness passed the hyperparameters to a parameter, unchanged."""
    if trial.generation is not Generation.PEDL or node not in trial.hparams_parameters:
        return False
    return not any(use.is_change for use in trial.flow.parameter_uses(node))


def made_of(trial: Trial, node: ast.expr, path: Path = (), depth: int = 0) -> list[Origin]:
    """The origins of a value through method calls, such as ``data`` in ``data.map(f).batch(8)``."""
    origins: list[Origin] = []
    for origin in trial.flow.origins(node, path):
        match origin.node:
            case ast.Call(func=ast.Attribute(value=inner) as method) if (
                not origin.path
                and depth < 12
                and method.attr not in ("as_dataset", "wrap_dataset", *FLOWS)
                and trial.modules.meaning(method) is None
                and not trial.flow.called(origin.node)
            ):
                origins += made_of(trial, inner, depth=depth + 1)
            case _:
                origins.append(origin)
    return origins


def is_wrapped(trial: Trial, origin: Origin) -> bool:
    """Whether a value is what ``wrap_dataset`` returned."""
    function = origin.node.func if isinstance(origin.node, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "wrap_dataset":
        return True
    return function is not None and trial.modules.meaning(function) == WRAP


def is_dataset(trial: Trial, origin: Origin) -> bool:
    """Whether a value is certainly a dataset."""
    function = origin.node.func if isinstance(origin.node, ast.Call) else None
    made_by = trial.modules.meaning(function) if function is not None else None
    return is_wrapped(trial, origin) or (made_by or "").startswith(_DATASETS)


def is_sequence(trial: Trial, origin: Origin) -> bool:
    """Whether a value is a Sequence: of a class of the project, of an old one, or of images."""
    function = origin.node.func if isinstance(origin.node, ast.Call) else None
    if function is None or origin.path:
        return False
    is_old = trial.modules.meaning(function) in names.harness.LOADERS
    if is_old or getattr(function, "attr", "") in FLOWS:
        return True
    classes = [class_origin.node for class_origin in trial.flow.origins(function)]
    return bool(classes) and all(
        isinstance(owner, ast.ClassDef) and trial.flow.method(owner, "__getitem__") is not None
        for owner in classes
    )


def only_datasets(trial: Trial) -> bool:
    """Whether every loader is certainly a dataset."""
    loaders = [*returned_loaders(trial)]
    return {role for role, _ in loaders} == {*Role} and all(
        origins and all(is_dataset(trial, origin) for origin in origins) for _, origins in loaders
    )
