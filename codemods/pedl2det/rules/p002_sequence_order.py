"""Keep the order of the batches of arrays and Sequences.

The old harness never shuffled. The context-based one shuffles the order of the batches of arrays
and Sequences unless the trial calls ``configure_fit(shuffle=False)``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pedl2det.analysis.flow.values import Function
from pedl2det.analysis.loaders import FLOWS, only_datasets
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark

_ORDER = r"\.configure_fit\(.*\bshuffle="
_OF_0_12 = (
    "for configs that count in batches ({}), Determined shuffled the batches; here they keep their "
    "order, and arrays are cut to whole batches, as for the configs that count in steps"
)
_OF_0_13 = (
    "for configs that count in steps, Determined kept the order of batches and cut arrays to whole "
    "batches; here data is read as for the configs that count in batches ({})"
)
_CALL = "{context}.configure_fit(shuffle=False)"
_ON_EPOCH_END = (
    "{name}.on_epoch_end is called after each pass over the data; the old harness never called it"
)
_SHUFFLED_IMAGES = (
    "unless shuffle=False, {name}(...) reshuffles after each pass over the data; under the old "
    "harness the images kept one order"
)


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Turn shuffling off, and report code that acts at the end of a pass over the data."""
    message = _OF_0_13 if trial.is_of_today and not trial.carried else _OF_0_12
    is_mixed = trial.generation is not Generation.PEDL and trial.counts_in_steps
    for root in trial.roots if is_mixed and trial.in_batches else ():
        yield Remark(root, message.format(", ".join(trial.in_batches)), kind=Kind.DIFFERENT)
    if trial.is_of_today or trial.carried:
        return
    if not only_datasets(trial):
        for root in trial.roots:
            if _sets_order(trial, root):
                continue  # such as a script's trial, with all settings in one call
            yield Fix(root, constructor=(_CALL,))
    yield from _notes(trial)


def _sets_order(trial: Trial, root: ast.ClassDef) -> bool:
    """Whether the constructor always sets the order of the batches itself."""
    constructor = trial.flow.method(root, "__init__")
    return constructor is not None and any(
        isinstance(line, ast.Expr) and re.search(_ORDER, ast.unparse(line))
        for line in constructor.body
    )


def _notes(trial: Trial) -> Iterable[Remark]:
    for source in trial.modules:
        for owner in source.names.of(ast.ClassDef):
            hook = trial.flow.own_method(owner, "on_epoch_end")
            is_sequence = trial.flow.method(owner, "__getitem__") is not None
            if is_sequence and hook is not None and not _does_nothing(hook):
                message = _ON_EPOCH_END.format(name=owner.name)
                yield Remark(hook, message, kind=Kind.DIFFERENT)
        for call in source.names.of(ast.Call):
            if isinstance(call.func, ast.Attribute) and _is_shuffled_flow(trial, call, call.func):
                message = _SHUFFLED_IMAGES.format(name=call.func.attr)
                yield Remark(call, message, kind=Kind.DIFFERENT)


def _is_shuffled_flow(trial: Trial, call: ast.Call, func: ast.Attribute) -> bool:
    """Whether a call makes an iterator of images that shuffles, as it does by default."""
    if func.attr not in FLOWS:
        return False
    makers = [origin.node for origin in trial.flow.origins(func.value)]
    if not any("ImageDataGenerator" in ast.unparse(maker) for maker in makers):
        return False
    arguments = [keyword.value for keyword in call.keywords if keyword.arg == "shuffle"]
    values = [origin.node for value in arguments for origin in trial.flow.origins(value)]
    is_off = [isinstance(value, ast.Constant) and not value.value for value in values]
    return not values or not all(is_off)


def _does_nothing(function: Function) -> bool:
    """Whether a body is ``pass``, ``...`` or a docstring."""
    return all(
        isinstance(statement, ast.Pass)
        or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for statement in function.body
    )


EXAMPLE = """\
--- model_def.py
  from determined.keras import TFKerasTrial, TFKerasTrialContext
  from rows import Rows


  class Trial(TFKerasTrial):
      def __init__(self, context: TFKerasTrialContext) -> None:
          self.context = context
+         context.configure_fit(shuffle=False)

      def build_validation_data_loader(self):
          return Rows("test", self.context.get_per_slot_batch_size())
"""
