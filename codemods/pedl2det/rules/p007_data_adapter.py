"""The workers of a ``KerasDataAdapter`` are set with ``configure_fit``.

The sequence in the adapter is returned as it is. Where the code does more with an adapter than to
return it, ``legacy_keras.py`` keeps a class of the same name, and the trial's loader methods take
the sequence out of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

import pedl2det_names as names
from pedl2det.analysis.arguments import arguments_of
from pedl2det.analysis.loaders import (
    ADAPTER_PARAMETERS,
    Role,
    keeps_adapters,
    plain_adapter,
    returning,
)
from pedl2det.analysis.trial import Generation, Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import DropArgument, Edit, Fix, InsertBefore, Remark, Replace, ReplaceStatement
from pedl2det.rules.cases import Case
from pedl2det.rules.loader_types import old_type
from pedl2det.rules.small_trials import migrated_trial, pedl_trial

ID = "P007"
NAME = "data-adapter"

_CONFIGURE = "{context}.configure_fit"
_OTHER_SETTINGS = (
    "the validation loader had settings of its own; Determined reads both loaders with those of "
    "the training loader, and the batches are the same"
)
_KEPT = "this may return a KerasDataAdapter, which Determined takes no more"
_RETURN = "return its sequence, and say its settings with context.configure_fit(...)"
_PROCESSES = (
    "with use_multiprocessing Determined 0.38.1 may hang after the last checkpoint of a training; "
    "set it to False there"
)


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite every use of the class."""
    references = trial.uses(*names.ADAPTERS)
    roles = {id(one): plain_adapter(trial, one) for one in references}
    calls = [one for one in references if not one.is_in_annotation]
    settings = [
        _settings(one.call) for one in calls if one.call and roles[id(one)] is Role.TRAINING
    ]
    is_gone = all(roles[id(one)] is not None for one in calls)
    for reference in references:
        role = roles[id(reference)]
        if reference.is_in_annotation:
            yield old_type(ID, reference, "KerasDataAdapter", is_gone)
        elif role is None:
            yield _kept(reference)
        else:
            yield _plain(reference, role, settings)
    if trial.generation is not Generation.PEDL and keeps_adapters(trial):
        for method, _ in returning(trial):
            yield Remark(ID, trial.modules.home(method), method, Kind.LEFT, _KEPT, _RETURN)


def _settings(call: ast.Call) -> dict[str, str]:
    given = arguments_of(call, ADAPTER_PARAMETERS, data="sequence") or {}
    return {name: ast.unparse(value) for name, value in given.items() if name != "sequence"}


def _plain(reference: Reference, role: Role, others: Sequence[Mapping[str, str]]) -> Fix:
    """The adapter replaced by its sequence; its settings, if it is for training, by a call."""
    source, call = reference.source, reference.call
    assert call is not None
    given = arguments_of(call, ADAPTER_PARAMETERS, data="sequence") or {}
    sequence = given.pop("sequence")
    notes: list[tuple[Kind, str]] = []
    if role is Role.VALIDATION:
        if given and _settings(call) not in others:
            notes.append((Kind.NOTE, _OTHER_SETTINGS))
        given = {}
    elif not _is_false(given.get("use_multiprocessing")):
        notes.append((Kind.NOTE, _PROCESSES))
    statement = source.names.statement_of(call)
    if _rebinds(statement, call, sequence):
        edits = _instead_of(statement, call, sequence, given)
    else:
        edits = _before(statement, call, sequence, given)
    return Fix(ID, source, reference.node, edits, notes=tuple(notes))


def _is_false(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and not node.value)


def _rebinds(statement: ast.stmt, call: ast.Call, sequence: ast.expr) -> bool:
    """Whether a statement is ``train = KerasDataAdapter(train, ...)``."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call:
            return isinstance(sequence, ast.Name) and sequence.id == name
    return False


def _instead_of(
    statement: ast.stmt, call: ast.Call, sequence: ast.expr, given: Mapping[str, ast.expr]
) -> tuple[Edit, ...]:
    """The call of ``configure_fit`` in place of the statement."""
    if not given:
        return (ReplaceStatement(statement),)
    if len(call.args) > 1 or (call.args and call.args[0] is not sequence):
        return (ReplaceStatement(statement, _configured(given), dict(given)),)
    keyword = next((one for one in call.keywords if one.value is sequence), None)
    return (  # the call keeps its lines and comments
        Replace(call.func, _CONFIGURE),
        DropArgument(call, keyword or sequence),
        ReplaceStatement(statement, "{call}", {"call": call}),
    )


def _before(
    statement: ast.stmt, call: ast.Call, sequence: ast.expr, given: Mapping[str, ast.expr]
) -> tuple[Edit, ...]:
    """The call of ``configure_fit`` on the line before."""
    replaced = Replace(call, "{sequence}", {"sequence": sequence})
    if not given:
        return (replaced,)
    return (InsertBefore(statement, _configured(given), dict(given)), replaced)


def _configured(given: Iterable[str]) -> str:
    return f"{_CONFIGURE}({', '.join(f'{name}={{{name}}}' for name in given)})"


def _kept(reference: Reference) -> Fix:
    """The class of the same name in ``legacy_keras``, which works wherever the old one did."""
    assert isinstance(reference.node, ast.expr)
    edit = Replace(reference.node, "legacy_keras.KerasDataAdapter")
    return Fix(ID, reference.source, reference.node, (edit,))


_LOAD = "from rows import load"
_IMPORT = f"from pedl.frameworks.keras.data import KerasDataAdapter\n{_LOAD}"
_HEAD = "train, val = load(0), load(1)\n"

CASES = (
    Case(
        pedl_trial(
            _HEAD + 'if hparams["fast"]:\n'
            "    train = KerasDataAdapter(train, workers=2, use_multiprocessing=True)\n"
            "return train, val\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + 'if context.get_hparam("fast"):\n'
            "    context.configure_fit(workers=2, use_multiprocessing=True)\n"
            "return train, val\n",
            _LOAD,
        ),
        says="Determined 0.38.1 may hang",
    ),
    Case(
        pedl_trial(
            _HEAD + "return (\n    KerasDataAdapter(train, False, 2),\n"
            "    KerasDataAdapter(val, workers=4),\n)\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + "context.configure_fit(use_multiprocessing=False, workers=2)\n"
            "return train, val\n",
            _LOAD,
        ),
        says="the validation loader had settings of its own",
    ),
    Case(  # more is done with it than to return it
        pedl_trial(
            _HEAD + "train = KerasDataAdapter(train, workers=2)\n"
            "print(len(train))\n"
            "return train, val\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + "train = legacy_keras.KerasDataAdapter(train, workers=2)\n"
            "print(len(train))\n"
            "return train, val\n",
            f"{_LOAD}\n\nimport legacy_keras",
            parameters="",
            unwrapped=True,
        ),
    ),
    Case(  # it is made on every path, and returned on one
        pedl_trial(
            _HEAD + "fast = KerasDataAdapter(train, workers=2)\n"
            "if len(val) > 4:\n"
            "    return fast, val\n"
            "return train, val\n",
            _IMPORT,
        ),
        migrated_trial(
            _HEAD + "fast = legacy_keras.KerasDataAdapter(train, workers=2)\n"
            "if len(val) > 4:\n"
            "    return fast, val\n"
            "return train, val\n",
            f"{_LOAD}\n\nimport legacy_keras",
            parameters="",
            unwrapped=True,
        ),
    ),
)
