"""What an expression in the place of an optimizer is: an object, the name of one, or unknown."""

from __future__ import annotations

import ast
from enum import Enum

import pedl2det_names as names
from pedl2det.analysis.flow import Origin
from pedl2det.analysis.old_keras import KERAS, LEGACY, OPTIMIZERS, is_optimizer
from pedl2det.analysis.trial import Trial, today

#: Classes of optimizers by the names that Keras takes.
BY_NAME = {name.lower(): name for name in names.TF_OPTIMIZERS}
#: Functions that give an optimizer.
_FUNCTIONS = {
    f"{OPTIMIZERS}.get",
    f"{OPTIMIZERS}.deserialize",
    "tensorflow.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite",
}


class Given(Enum):
    """What an expression gives for an optimizer."""

    OBJECT = "object"
    NAME = "name"
    UNKNOWN = "unknown"
    WRAPPED = "wrapped"  #: an object that was given to ``wrap_optimizer``


def given(trial: Trial, node: ast.expr) -> Given:
    """What an expression gives, as far as its origins show."""
    origins = trial.flow.origins(node)
    functions = [one.node.func for one in origins if isinstance(one.node, ast.Call)]
    if any(getattr(one, "attr", "") == "wrap_optimizer" for one in functions):
        return Given.WRAPPED
    if origins and all(_is_object(trial, one) for one in origins):
        return Given.OBJECT
    constants = [one.node.value for one in origins if isinstance(one.node, ast.Constant)]
    if len(constants) == len(origins) == 1 and str(constants[0]).lower() in BY_NAME:
        return Given.NAME
    return Given.UNKNOWN


def _is_object(trial: Trial, origin: Origin) -> bool:
    call = origin.node
    if not isinstance(call, ast.Call) or origin.path:
        return False
    match call.func:
        case ast.Call(func=ast.Name(id="getattr"), args=[module, *_]):  # getattr(optimizers, name)
            return trial.today(module) in (OPTIMIZERS, LEGACY)
    functions = trial.flow.origins(call.func)
    return bool(functions) and all(_makes_one(trial, one) for one in functions)


def _makes_one(trial: Trial, origin: Origin) -> bool:
    """Whether what is called is an optimizer's class, or a function that gives one."""
    node = origin.node
    if isinstance(node, ast.ClassDef):
        bases = [base for one in trial.flow.bases(node) for base in one.bases]
        return any(_is_class(trial.modules.meaning(base)) for base in bases)
    if isinstance(node, ast.alias):
        source = trial.modules.home(node)
        bound = source.names.module_bindings(node.asname or node.name)
        return any(_is_class(source.names.follow(one)) for one in bound if one)
    return _is_class(trial.modules.meaning(node)) or trial.today(node) in _FUNCTIONS


def _is_class(dotted: str | None) -> bool:
    """Whether a name is a class of optimizers of any Keras."""
    row = names.lookup(dotted) if dotted else None
    if row is not None and is_optimizer(row):
        return True
    module, _, name = today(dotted).rpartition(".")
    is_module = module.startswith((OPTIMIZERS, f"{KERAS}.mixed_precision", "tensorflow.train"))
    return is_module and name[:1].isupper()
