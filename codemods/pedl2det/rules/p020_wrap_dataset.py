"""The context wraps every ``tf.data.Dataset``.

``wrap_dataset`` gives each process its share of a dataset. PEDL let a trial leave it out, and then
every process read the whole dataset. Determined insists on it, so such a dataset is wrapped where
it is returned, with ``shard_dataset=False``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.datasets import WRAP, is_to_be_wrapped, returned_loaders
from pedl2det.analysis.loaders import needs_unwrapping
from pedl2det.analysis.trial import Generation, Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Form, Remark, Replace
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import migrated_trial, pedl_trial

ID = "P020"
NAME = "wrap-dataset"

_WHOLE = (
    "this dataset was not wrapped, so every process read all of it, and still does: leave "
    "shard_dataset=False out to give each process a share"
)
_AT_IMPORT = (
    "wrap_dataset was called while the module was imported, before there is a context; the dataset "
    "is wrapped where it is returned. Several processes now share what it holds there: batches, "
    "if it is batched by then"
)


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the calls of ``wrap_dataset``, and wrap what nobody wrapped."""
    references = trial.uses(WRAP)
    early = [one for one in references if _runs_at_import(one)]
    for reference in references:
        yield _unwrapped_early(reference) if reference in early else _wrapped(trial, reference)
    if trial.generation is not Generation.PEDL:
        return
    done: set[ast.expr] = set()
    for member, _, found in returned_loaders(trial):
        if member in done or trial.context.at(member) is None:
            continue
        done.add(member)
        source = trial.modules.home(member)
        calls = {one.call for one in early}
        if any(origin.node in calls for origin in trial.flow.origins(member)):
            edit = Replace(member, "{context}.wrap_dataset({it})", {"it": member})
            yield Fix(ID, source, member, (edit,))
        elif is_to_be_wrapped(trial, found) and not needs_unwrapping(trial):
            code = "{context}.wrap_dataset({it}, shard_dataset=False)"
            edit = Replace(member, code, {"it": member})
            yield Fix(ID, source, member, (edit,), notes=((Kind.NOTE, _WHOLE),))


def _runs_at_import(reference: Reference) -> bool:
    is_called = reference.call is not None and bool(reference.call.args)
    return is_called and reference.source.names.function_of(reference.node) is None


def _unwrapped_early(reference: Reference) -> Fix:
    call = reference.call
    assert call is not None
    edit = Replace(call, "{it}", {"it": call.args[0]})
    notes = ((Kind.DIFFERENT, _AT_IMPORT),)
    return Fix(ID, reference.source, reference.node, (edit,), notes=notes)


def _wrapped(trial: Trial, reference: Reference) -> Fix:
    node = reference.node
    assert isinstance(node, ast.expr)
    if trial.context.at(node) is not None:
        edit = Replace(node, "{context}.wrap_dataset")
        return Fix(ID, reference.source, node, (edit,))
    edit = Replace(node, "legacy_keras.wrap_dataset")
    support = ("wrap_dataset",)
    return Fix(ID, reference.source, node, (edit,), support=support, form=Form.FAITHFUL)


CASES: tuple[Case, ...] = ()
_ = migrated_trial, pedl_trial
