"""Optimizers become those of ``tf.keras.optimizers.legacy``, which compute what the old ones did.

Since Keras 2.11 an optimizer ignores ``lr=`` with a warning, and raises for ``decay=``. Arguments
that had other names, another order or other defaults are written out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pedl2det_names as names
from pedl2det.analysis import old_keras
from pedl2det.analysis.flow.values import Way
from pedl2det.analysis.old_keras import (
    LEGACY,
    OLD_KEYWORDS,
    OPTIMIZERS,
    asks_about_class,
    call_edits,
    means_standalone,
)
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Edit, Fix, Remark, RenameKeyword, rewrite
from pedl2det_names import Age

_GETTERS = {f"{OPTIMIZERS}.get", f"{OPTIMIZERS}.deserialize"}
_MAY_BE_OLD = "today's optimizers ignore lr= and refuse decay=, which may be given to one here"
_WRITE_LEGACY = "if it is, take the one of tf.keras.optimizers.legacy"
_CLIPS = {"clipnorm", "clipvalue"}


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Rewrite the optimizers in every file of the project."""
    written_for = old_keras.age(trial)
    for reference in trial.references:
        row = old_keras.row_for(reference, written_for)
        if row is not None and old_keras.is_optimizer(row) and not reference.is_import:
            yield from _rewrite_use(trial, reference, row)
    yield from (_may_be_old if written_for is Age.CURRENT else _others)(trial)


def _may_be_old(trial: Trial) -> Iterator[Remark]:
    """Old arguments that may be those of an optimizer, and options that may hold them."""
    if not trial.mentions(rf"\b({'|'.join(sorted(OLD_KEYWORDS))})\b"):
        return
    for call in trial.modules.of(ast.Call):
        given = {keyword.arg for keyword in call.keywords} & {None, *OLD_KEYWORDS}  # `**options`
        is_object = (
            bool(given) and old_keras.optimizer_kind(trial, call) is old_keras.OptimizerKind.OBJECT
        )
        is_value = trial.modules.meaning(call.func) is None and not trial.flow.called(call)
        may_hide = None in given and not isinstance(call.func, ast.Attribute)
        if (is_object and None in given) or (is_value and (may_hide or OLD_KEYWORDS & given)):
            yield Remark(call, _MAY_BE_OLD, _WRITE_LEGACY, Kind.NOTE)


def _rewrite_use(trial: Trial, reference: Reference, row: names.Name) -> Iterator[Fix | Remark]:
    """Rewrite one use of an optimizer's class: a call, or the class as a value."""
    node, source = reference.node, reference.source
    assert isinstance(node, ast.expr)
    if not row.same:  # no optimizer of Keras computes the same
        yield rewrite(node, f"legacy_keras.{row.support}")
        return
    assert row.new is not None
    call = reference.call
    parent = source.names.parents.get(node)
    if call is not None:
        clips = [keyword for keyword in call.keywords if keyword.arg in _CLIPS]
        is_standalone = means_standalone(trial, reference.dotted)
        is_plain = all(_clips(clip.value) for clip in clips) and not old_keras.sets_epsilon(trial)
        is_faithful = is_standalone and not (is_plain and len(clips) < 2)
        edits = None if is_faithful else call_edits(call, row)
    elif asks_about_class(source, node):
        edits = []
    elif isinstance(parent, ast.ClassDef):
        edits = None if means_standalone(trial, reference.dotted) else []
        if edits is not None and row.defaults:
            message = f"{parent.name} derives from {ast.unparse(node)}, whose defaults have changed"
            yield Remark(parent, message, f"derive it from {row.new}, and write them out")
    else:
        edits = _as_value(trial, node, row)
    if edits is not None:
        yield from old_keras.respelled(source, node, row.new, edits)
    else:  # a class with the old arguments and defaults
        yield rewrite(node, f"legacy_keras.{row.support or row.new.rpartition('.')[2]}")


def _clips(value: ast.expr) -> bool:
    """Whether a value is visibly positive: Keras 2.2.4 clipped by no other."""
    limit = getattr(value, "value", None)
    return isinstance(limit, int | float) and limit > 0


def _as_value(trial: Trial, node: ast.expr, row: names.Name) -> list[Edit] | None:
    """The edits of the calls of a class that is used as a value, such as a member of a dict.

    Returns None if a call may mean something else today.
    """
    around = [use.around for use in trial.flow.uses(node) if use.way is Way.METHOD]
    calls = [call for call in around if isinstance(call, ast.Call)]
    all_same = bool(calls) and all(_means_the_same(call, row) for call in calls)
    if (row.defaults or row.parameters) and not all_same:
        return None
    here = trial.modules.home(node)
    return [
        RenameKeyword(keyword, "learning_rate")
        for call in calls
        for keyword in call.keywords
        if keyword.arg == "lr" and trial.modules.home(call) is here
        if old_keras.optimizer_kind(trial, call) is old_keras.OptimizerKind.OBJECT
    ]


def _means_the_same(call: ast.Call, row: names.Name) -> bool:
    old = {keyword.arg for keyword in call.keywords}
    if None in old or len(call.args) > 1 or _CLIPS & old:
        return False
    new = {row.keywords.get(str(name), name) for name in old}
    if call.args:
        new.add("learning_rate")
    return row.defaults.keys() <= new


# The functions of the module of optimizers, and their base class.


def _others(trial: Trial) -> Iterator[Fix | Remark]:
    askers = ("getattr", "hasattr") if old_keras.is_old(trial) else ("getattr", "hasattr", "vars")
    for node in trial.modules.reads:
        dotted = trial.modules.meaning(node)
        today = trial.today(node)
        source = trial.modules.home(node)
        parent = source.names.parents[node]
        piece = "standalone_optimizer" if means_standalone(trial, dotted or "") else "optimizer"
        if today in _GETTERS:
            yield rewrite(node, f"legacy_keras.{piece}")
        elif today == f"{OPTIMIZERS}.Optimizer" and _is_derived(trial, node, dotted or ""):
            yield rewrite(node, "legacy_keras.KerasOptimizer")
        elif today == f"{OPTIMIZERS}.Optimizer":
            yield from old_keras.respelled(source, node, f"{LEGACY}.Optimizer")
        elif today != OPTIMIZERS or means_standalone(trial, dotted or ""):
            continue  # P036
        elif getattr(getattr(parent, "func", node), "id", "") in askers:
            yield rewrite(node, "{module}.legacy", {"module": node})


def _is_derived(trial: Trial, node: ast.expr, dotted: str) -> bool:
    """Whether a class derives from the base class of optimizers with ``get_updates``."""
    parent = trial.modules.home(node).names.parents[node]
    if not isinstance(parent, ast.ClassDef):
        return False
    own = {statement.name for statement in parent.body if isinstance(statement, ast.FunctionDef)}
    return "get_updates" in own or means_standalone(trial, dotted)


EXAMPLE = """\
--- net.py
- from tensorflow.keras.optimizers import RMSprop
+ from tensorflow.keras.optimizers.legacy import RMSprop

  def optimizer(rate):
-     return RMSprop(lr=rate, decay=1e-6)
+     return RMSprop(learning_rate=rate, decay=1e-6)
"""
