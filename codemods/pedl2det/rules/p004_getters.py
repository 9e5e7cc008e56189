"""``pedl.get_hyperparameter`` and the other getters become methods of the context.

A function that asks gets the context from each of its callers. Where the context cannot be handed
on, ``legacy_keras`` asks for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Fix, Form, Remark, Replace

ID = "P004"
NAME = "getters"

#: What each getter is on the context; the first argument of a call is ``{key}``.
_GETTERS = {
    "pedl.get_hyperparameter": "{context}.get_hparam({key})",
    "pedl.get_experiment_config": "{context}.get_experiment_config()",
    "pedl.get_trial_seed": "{context}.get_trial_seed()",
    "pedl.get_experiment_id": "{context}.get_experiment_id()",
    "pedl.get_trial_id": "{context}.get_trial_id()",
    "pedl.trial.get_trial_seed": "{context}.get_trial_seed()",
    "pedl.util.get_experiment_config": "{context}.get_experiment_config()",
    "pedl.util.get_hyperparameters": "{context}.get_hparams()",
    "pedl.trial_controller.util.get_rank": "{context}.distributed.get_rank()",
    "determined.trial_controller.util.get_rank": "{context}.distributed.get_rank()",
}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of a getter."""
    for reference in trial.uses(*_GETTERS):
        yield _asked_of_context(trial, reference) or _asked_of_piece(trial, reference)


def _asked_of_context(trial: Trial, reference: Reference) -> Fix | None:
    call = reference.call
    if call is None or trial.context.at(call) is None:
        return None
    parents = reference.source.names.parents
    code = _GETTERS[reference.dotted]
    if reference.dotted.endswith("get_experiment_config"):
        data = _data_section(parents, call)
        if data is not None:
            code, call = "{context}.get_data_config()", data
        return Fix(ID, reference.source, reference.node, (Replace(call, code),))
    if reference.dotted.endswith("get_hyperparameters"):
        return None
    if "{key}" not in code:
        return Fix(ID, reference.source, reference.node, (Replace(call, code),))
    keys = [*call.args, *(one.value for one in call.keywords)]
    if len(keys) != 1 or isinstance(keys[0], ast.Starred):
        return None
    found = trial.flow.origins(keys[0])
    names = [one.node.value for one in found if isinstance(one.node, ast.Constant)]
    if names == ["batch_size"] and len(found) == 1:
        edit = Replace(call, "{context}.get_per_slot_batch_size()")
    elif len(names) == len(found) and "batch_size" not in names:
        edit = Replace(call, code, {"key": keys[0]})
    else:  # the name is computed, and may be batch_size
        return None
    return Fix(ID, reference.source, reference.node, (edit,))


def _data_section(parents: dict[ast.AST, ast.AST], call: ast.Call) -> ast.expr | None:
    """The expression ``config()["data"]`` or ``config().get("data", {})`` around a call."""
    parent = parents.get(call)
    match parent:
        case ast.Subscript(slice=ast.Constant(value="data")):
            return parent
        case ast.Attribute(attr="get"):
            outer = parents.get(parent)
            if isinstance(outer, ast.Call) and outer.args:
                first = outer.args[0]
                if isinstance(first, ast.Constant) and first.value == "data":
                    return outer
    return None


def _asked_of_piece(trial: Trial, reference: Reference) -> Fix:
    """The faithful form: the function of the same name in ``legacy_keras``."""
    piece = reference.dotted.rpartition(".")[2]
    edit = Replace(reference.node, f"legacy_keras.{piece}")  # type: ignore[arg-type]
    return Fix(ID, reference.source, reference.node, (edit,), support=(piece,), form=Form.FAITHFUL)
