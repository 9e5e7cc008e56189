"""The getters of PEDL, and what asks the context for the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from pedl2det.analysis.trial import Reference, Trial

#: What each getter is on the context; the argument of the call is ``{key}``.
GETTERS = {
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


#: An error for a missing key, unless it is raised.
_CAUGHT = re.compile(r"(?<!raise )\b(?:Key|Lookup)Error\b")


def question(trial: Trial, reference: Reference) -> tuple[ast.expr, str] | None:
    """The expression that a getter's use is a part of, and how the context is asked for it.

    None where the context has no method for the same: the getter is not called, or the name of
    the hyperparameter is computed and may be ``batch_size``.
    """
    call = reference.call
    code = GETTERS[reference.dotted]
    if call is None or "get_hparams" in code:
        return None
    if reference.dotted.endswith("get_experiment_config"):
        data = data_section(reference.source.names.parents, call)
        return (call, code) if data is None else (data, "{context}.get_data_config()")
    if "{key}" not in code:
        return call, code
    keys = [*call.args, *(one.value for one in call.keywords)]
    if len(keys) != 1 or isinstance(keys[0], ast.Starred):
        return None
    asked = ask_for_hparam(trial, keys[0])
    return (call, asked) if asked is not None else None


def ask_for_hparam(trial: Trial, key: ast.expr) -> str | None:
    """How the context is asked for a hyperparameter where an expression asks for it now.

    None where its name is computed and may be ``batch_size``, which it does not have.
    """
    found = [None if one.path else one.node for one in trial.flow.origins(key)]
    names = [one.value for one in found if isinstance(one, ast.Constant)]
    if names == ["batch_size"] and len(found) == 1:
        return "{context}.get_per_slot_batch_size()"
    if len(names) < len(found) or "batch_size" in names:
        return None
    if any(_CAUGHT.search(one.text) for one in trial.modules):
        return "{context}.get_hparams()[{key}]"  # which it may catch; the context has another
    return "{context}.get_hparam({key})"


def key_of(call: ast.expr) -> ast.expr | None:
    """The argument of a getter's call."""
    if not isinstance(call, ast.Call):
        return None
    keys = [*call.args, *(one.value for one in call.keywords)]
    return keys[0] if keys else None


def data_section(parents: Mapping[ast.AST, ast.AST], config: ast.expr) -> ast.expr | None:
    """The expression ``config()["data"]`` or ``config().get("data", {})`` around the config."""
    parent = parents.get(config)
    outer = parents.get(parent) if parent is not None else None
    match parent, outer:
        case ast.Subscript(slice=ast.Constant(value="data"), ctx=ast.Load()), _:
            return parent
        case ast.Attribute(attr="get"), ast.Call(args=[ast.Constant(value="data"), *_]):
            return outer
    return None
