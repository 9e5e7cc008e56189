"""The trial reads the batches of a Sequence in their own order.

The old harness never shuffled. The context-based one shuffles the order of the batches of arrays
and Sequences unless the trial calls ``configure_fit(shuffle=False)``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.flow import Function
from pedl2det.analysis.loaders import FLOWS, only_datasets
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import Fix, Remark
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import early_trial, migrated_trial, pedl_trial

ID = "P002"
NAME = "sequence-order"

_CALL = "{context}.configure_fit(shuffle=False)"
_ON_EPOCH_END = (
    "{name}.on_epoch_end is called after each pass over the data; the old harness never called it"
)
_SHUFFLED_IMAGES = (
    "{name}(...) shuffles anew after each pass over the data; under the old harness the images "
    "kept one order, unless shuffle=False"
)


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Turn shuffling off, and note the Sequences that notice the end of a pass."""
    is_new = trial.generation is Generation.CONTEXT and not trial.counts_in_steps
    if is_new or not trial.roots:
        return
    if not only_datasets(trial):
        for root in trial.roots:
            if _says_order(trial, root):
                continue  # such as a script's trial, with all settings in one call
            yield Fix(ID, trial.modules.home(root), root, constructor=(_CALL,))
    yield from _notes(trial)


def _says_order(trial: Trial, root: ast.ClassDef) -> bool:
    """Whether the constructor says the order of the batches itself, in every run of it."""
    constructor = trial.flow.method(root, "__init__")
    return constructor is not None and any(
        isinstance(line, ast.Expr)
        and isinstance(line.value, ast.Call)
        and ast.unparse(line.value.func).endswith(".configure_fit")
        and any(
            one.arg == "shuffle" and isinstance(one.value, ast.Constant)
            for one in line.value.keywords
        )
        for line in constructor.body
    )


def _notes(trial: Trial) -> Iterable[Remark]:
    for source in trial.modules:
        for owner in source.names.of(ast.ClassDef):
            hook = trial.flow.own_method(owner, "on_epoch_end")
            is_sequence = trial.flow.method(owner, "__getitem__") is not None
            if is_sequence and hook is not None and not _does_nothing(hook):
                message = _ON_EPOCH_END.format(name=owner.name)
                yield Remark(ID, source, hook, Kind.DIFFERENT, message)
        for call in source.names.of(ast.Call):
            if isinstance(call.func, ast.Attribute) and _is_shuffled_flow(trial, call, call.func):
                message = _SHUFFLED_IMAGES.format(name=call.func.attr)
                yield Remark(ID, source, call, Kind.DIFFERENT, message)


def _is_shuffled_flow(trial: Trial, call: ast.Call, func: ast.Attribute) -> bool:
    """Whether a call makes an iterator of images that shuffles, as it does unless told not to."""
    makers = [one.node for one in trial.flow.origins(func.value)] if func.attr in FLOWS else []
    if not any("ImageDataGenerator" in ast.unparse(one) for one in makers):
        return False
    given = [one.value for one in call.keywords if one.arg == "shuffle"]
    values = [one.node for value in given for one in trial.flow.origins(value)]
    return not values or not all(isinstance(one, ast.Constant) and not one.value for one in values)


def _does_nothing(function: Function) -> bool:
    """Whether a body is ``pass``, ``...`` or a docstring."""
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        for one in function.body
    )


_LOAD = "from rows import load"
_ROWS = """\
import numpy as np
import tensorflow as tf


class Rows(tf.keras.utils.Sequence):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.x[index], self.x[index]

    def on_epoch_end(self):
        np.random.shuffle(self.x)
"""
_RETURN = "return Rows(np.ones((4, 8, 1))), Rows(np.ones((4, 8, 1)))\n"
_DATASETS = (
    "train = {wrap}(tf.data.Dataset.range(8))\n"
    "return train.batch(4), {wrap}(tf.data.Dataset.range(8)).batch(4)\n"
)
_TF = "import tensorflow as tf"
_ITS_OWN = """\
        if context.get_hparam("debug"):
            context.configure_fit(shuffle=True)
"""
_EARLY = early_trial("def build_training_data_loader(self):\n    return load()\n")
_HEAD = "        self.context = context\n"


def _configured(text: str) -> str:
    """A trial of a config in steps, whose constructor says an order on a condition."""
    return _EARLY["model_def.py"].replace(_HEAD, _HEAD + text)


CASES = (
    Case(
        pedl_trial("return load(0), load(1)\n", _LOAD),
        migrated_trial("return load(0), load(1)\n", _LOAD, parameters=""),
    ),
    Case(
        pedl_trial(_RETURN, _ROWS),
        migrated_trial(_RETURN, _ROWS, parameters=""),
        says="Rows.on_epoch_end is called after each pass over the data",
    ),
    Case(  # a dataset shuffles itself
        pedl_trial(
            _DATASETS.format(wrap="wrap_dataset"),
            f"{_TF}\n\nfrom pedl.frameworks.keras import wrap_dataset",
        ),
        migrated_trial(_DATASETS.format(wrap="context.wrap_dataset"), _TF, shuffle=False),
    ),
    Case(  # the default comes before what the trial says on a condition
        {**_EARLY, "model_def.py": _configured(_ITS_OWN)},
        {"model_def.py": _configured("        context.configure_fit(shuffle=False)\n" + _ITS_OWN)},
    ),
)
