"""Whether a value is the hyperparameter ``batch_size``."""

from __future__ import annotations

import ast

import pedl2det_names as names
from pedl2det.analysis.entry import entry_of
from pedl2det.analysis.flow import Function, Origin, Use, Way, by_position
from pedl2det.analysis.trial import GIVEN_HPARAMS, Generation, Trial


def is_batch_size(trial: Trial, node: ast.expr) -> bool:
    """Whether an expression is the hyperparameter ``batch_size``, the size of one slot's batch."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "int":
        return len(node.args) == 1 and is_batch_size(trial, node.args[0])
    found = trial.flow.origins(node)
    return bool(found) and all(_is_the_batch_size(trial, one) for one in found)


def _is_the_batch_size(trial: Trial, origin: Origin) -> bool:
    node = origin.node
    if isinstance(node, ast.arg):
        return origin.path == ("batch_size",) and _is_hparams(trial, node)
    if origin.path or not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name) and node.func.id == "int":
        return is_batch_size(trial, node)
    if isinstance(node.func, ast.Attribute):
        if node.func.attr == "get_per_slot_batch_size":
            return True
        if node.func.attr == "get" and node.args and _is_key(trial, node.args[0]):
            dicts = trial.flow.origins(node.func.value)
            return bool(dicts) and all(
                isinstance(one.node, ast.arg) and not one.path and _is_hparams(trial, one.node)
                for one in dicts
            )
    keys = [*node.args, *(one.value for one in node.keywords)]
    return (
        trial.modules.meaning(node.func) == names.GET_HYPERPARAMETER
        and len(keys) == 1
        and _is_key(trial, keys[0])
    )


def _is_key(trial: Trial, node: ast.expr) -> bool:
    found = trial.flow.origins(node)
    return bool(found) and all(
        isinstance(one.node, ast.Constant) and one.node.value == "batch_size" for one in found
    )


def _is_hparams(trial: Trial, parameter: ast.arg) -> bool:
    """Whether a parameter holds the hyperparameters, as they were given."""
    if trial.generation is not Generation.PEDL:
        return False
    function = trial.modules.home(parameter).names.definition_around(parameter)
    if function is trial.loaders or function is trial.download:
        assert isinstance(function, Function)
        is_given = entry_of(function).hparams is parameter
    else:
        is_given = any(
            method is function and parameter in by_position(method)[1:2]
            for _, method in trial.methods(*GIVEN_HPARAMS)
        )
    return is_given and not any(_may_set(use) for use in trial.flow.parameter_uses(parameter))


def _may_set(use: Use) -> bool:
    """Whether a use of the hyperparameters may change the batch size."""
    if use.way is Way.STORED:
        key = getattr(use.around, "slice", None)
        return not (isinstance(key, ast.Constant) and key.value != "batch_size")
    return use.is_change
