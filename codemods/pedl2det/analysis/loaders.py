"""What the data loaders of a trial are, and whether they can be written as plain values."""

from __future__ import annotations

import ast

import pedl2det_names as names

from pedl2det.analysis.flow import Way
from pedl2det.analysis.trial import Reference, Trial


def needs_unwrapping(trial: Trial) -> bool:
    """Whether a loader may be an old data object that the loader methods have to unwrap.

    Adapters in a plain form become ``configure_fit``; all other old data objects keep a class of
    their own in ``legacy_keras``, which ``training_loader`` and ``validation_loader`` know.
    """
    adapters = trial.uses(*names.ADAPTERS)
    if any(plain_adapter(trial, one) is None for one in adapters):
        return True
    return bool(trial.uses("pedl.data.ArrayBatchLoader", "pedl.data.BatchLoader"))


def plain_adapter(trial: Trial, reference: Reference) -> str | None:
    """The role of an adapter that can become ``configure_fit``: ``training`` or ``validation``.

    That is an adapter with visible settings that is only returned as one of the two loaders.
    """
    call = reference.call
    if call is None or trial.context.at(call) is None or trial.loaders is None:
        return None
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if any(one.arg is None for one in call.keywords) or not (call.args or call.keywords):
        return None
    roles = set()
    for use in trial.flow.uses(call):
        is_entry = use.way is Way.RETURNED and use.function is trial.loaders
        if not is_entry or use.path not in ((0,), (1,)):
            return None
        roles.add("training" if use.path == (0,) else "validation")
    return roles.pop() if len(roles) == 1 else None
