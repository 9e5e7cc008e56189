"""The workers of a ``KerasDataAdapter`` are set with ``configure_fit``.

The sequence in the adapter is returned as it is. Where the code does more with an adapter than to
return it, ``legacy_keras.py`` keeps a class of the same name, and the trial's loader methods take
the sequence out of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

import pedl2det_names as names
from pedl2det.analysis.flow.values import arguments_of
from pedl2det.analysis.loaders import (
    ADAPTER_PARAMETERS,
    Role,
    keeps_adapters,
    loader_functions,
    plain_adapter,
)
from pedl2det.analysis.old_keras import respelled
from pedl2det.analysis.trial import Generation, Reference, Trial
from pedl2det.fixes import Drop, Edit, Fix, InsertBefore, Remark, Replace, ReplaceStatement, rewrite

_CONFIGURE = "{context}.configure_fit"
_KEPT = "this may return a KerasDataAdapter, which Determined takes no more"
_RETURN = "return its sequence, and say its settings with context.configure_fit(...)"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the class."""
    references = trial.uses(*names.harness.ADAPTERS)
    is_gone = not keeps_adapters(trial)
    for reference in references:
        node, call = reference.node, reference.call
        assert isinstance(node, ast.expr)
        role = plain_adapter(trial, reference)
        if call is not None and role is not None:
            yield _plain(reference, call, role)
        elif reference.is_in_annotation and is_gone:
            yield from respelled(reference.source, node, "determined.keras.InputData")
        else:
            yield rewrite(node, "legacy_keras.KerasDataAdapter")
    if trial.generation is not Generation.PEDL and not is_gone:
        for method, _ in loader_functions(trial):
            if all(isinstance(value, ast.Tuple) for value in trial.flow.returned(method)):
                continue  # arrays
            yield Remark(method, _KEPT, _RETURN)


def _plain(reference: Reference, call: ast.Call, role: Role) -> Fix:
    """Replace an adapter by its sequence, and the settings of one for training by a call."""
    settings = arguments_of(call, ADAPTER_PARAMETERS, data="sequence") or {}
    sequence = settings.pop("sequence")
    if role is Role.VALIDATION:  # Determined reads both loaders with the settings for training
        settings = {}
    edits = _edits(reference.source.names.statement_of(call), call, sequence, settings)
    return Fix(reference.node, edits)


def _edits(
    statement: ast.stmt, call: ast.Call, sequence: ast.expr, settings: Mapping[str, ast.expr]
) -> tuple[Edit, ...]:
    arguments = ", ".join(f"{name}={{{name}}}" for name in settings)
    configure = f"{_CONFIGURE}({arguments})"
    match statement, sequence:  # train = KerasDataAdapter(train, ...)
        case ast.Assign(targets=[ast.Name(id=name)], value=value), ast.Name(id=same) if (
            value is call and name == same and call.args in ([], [sequence])
        ):
            if not settings:
                return (ReplaceStatement(statement),)
            own = next((keyword for keyword in call.keywords if keyword.value is sequence), None)
            return (  # the call keeps its lines and comments
                Replace(call.func, _CONFIGURE),
                Drop(own or sequence),
                ReplaceStatement(statement, "{call}", {"call": call}),
            )
    before = (InsertBefore(statement, configure, dict(settings)),) if settings else ()
    return (*before, Replace(call, "{sequence}", {"sequence": sequence}))


EXAMPLE = """\
--- data.py
- from pedl.frameworks.keras.data import KerasDataAdapter
  from rows import load


- def make_data_loaders(experiment_config, hparams):
+ def make_data_loaders(context):
      train, val = load(0), load(1)
-     if hparams["fast"]:
-         train = KerasDataAdapter(train, workers=2, use_multiprocessing=True)
+     if context.get_hparam("fast"):
+         context.configure_fit(workers=2, use_multiprocessing=True)
      return train, val
"""
