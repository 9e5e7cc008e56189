"""The trial calls ``make_data_loaders`` once and keeps both loaders.

The function is not split: two calls would shuffle twice, and validation data would be trained on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.context import entry_of
from pedl2det.analysis.loaders import (
    RECORD_LOADERS,
    TRAINING_METHOD,
    cuts_by_hyperparameter,
    needs_unwrapping,
    pair_name,
)
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Trial
from pedl2det.fixes import LOADERS_CONTEXT, AddMember, Fix, Remark

_METHODS = '''\
@cached_property
def {name}(self):
    """Training and validation data, from one call: they may share one shuffle."""
    return {call}

def build_training_data_loader(self):
    training, _ = self.{name}
    return {training}

def build_validation_data_loader(self):
    _, validation = self.{name}
    return {validation}
'''
_SEVERAL = "configs name several functions as {}"
_NONE = "no make_data_loaders in this project, so it is not visible which data the trial has"
_DEFINE = "define build_training_data_loader and build_validation_data_loader"
_BY_NAME = "PEDL called {} by the names of the parameters that it has"
_IMPORT = (
    "make_data_loaders or cached_property cannot be imported here: the module of the loaders "
    "imports this one, or the name is used for something else"
)
_CACHED = "from functools import cached_property"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Give the trial classes their loader methods."""
    for key in trial.several_functions:
        yield from (Remark(root, _SEVERAL.format(key)) for root in trial.roots)
    for function in trial.harness_functions:
        entry = entry_of(function)
        if not (entry.hparams or entry.is_plain):
            yield Remark(function, _BY_NAME.format(function.name))
    for owner in _owners(trial):
        present = trial.flow.method(owner, TRAINING_METHOD)
        if trial.loaders_place is None and present is None and trial.is_whole:
            yield Remark(owner, _NONE, _DEFINE)
        elif trial.loaders_place is not None:  # or it was migrated by hand
            called = _loaders_call(trial, trial.modules.home(owner))
            yield _with_methods(trial, owner, *called) if called else Remark(owner, _IMPORT)


def _owners(trial: Trial) -> list[ast.ClassDef]:
    """The classes that get the methods: the only trial if its base does not know the loaders."""
    home = trial.loaders_home
    bases = [trial.modules.home(root) for root in trial.roots]
    if len(trial.concrete) == 1 and home not in bases:
        own = trial.modules.home(trial.concrete[0])
        if own is home or own not in bases:
            return trial.concrete
    return trial.roots


def _with_methods(trial: Trial, owner: ast.ClassDef, call: str, imports: tuple[str, ...]) -> Fix:
    context = f"self.{trial.context.attribute}"
    training, validation = "training", "validation"
    if needs_unwrapping(trial):
        begin, end = "(", ")"
        if trial.uses(*RECORD_LOADERS):  # records are cut into batches of this size
            cuts = cuts_by_hyperparameter(trial)
            size = f"{context}.get_per_slot_batch_size()" if cuts else "self.batch_size()"
            begin, end = "(\n        ", f", {size}\n    )"
        training = f"legacy_keras.training_loader{begin}{context}, training{end}"
        validation = f"legacy_keras.validation_loader{begin}{context}, validation{end}"
    code = _METHODS.format(
        name=pair_name(trial), call=call, training=training, validation=validation
    )
    return Fix(owner, (AddMember(owner, code),), imports=(_CACHED, *imports))


def _loaders_call(trial: Trial, source: Source) -> tuple[str, tuple[str, ...]] | None:
    """The call and its import; None where an import would be circular, or hide a name."""
    place, home = trial.loaders_place, trial.loaders_home
    assert place is not None and home is not None
    name = trial.modules.split(place)[1]  # of a method with its class
    code = f"{name}({LOADERS_CONTEXT})"
    if trial.loaders is None or not trial.context.can_take(trial.loaders):
        code = (
            f"{name}(\n        legacy_keras.get_experiment_config(), "
            "legacy_keras.shared_hyperparameters()\n    )"
        )
    cached = source.names.module_bindings("cached_property")
    is_taken = cached not in ([], ["functools.cached_property"])
    if home is source:
        return None if is_taken else (code, ())
    top, _, method = name.partition(".")
    bindings = source.names.module_bindings(top)
    bound = [*map(source.names.follow, filter(None, bindings))]
    is_other = bindings and bound != [place.removesuffix(f".{method}")]
    if is_taken or is_other or trial.modules.imports(home, source):
        return None
    return code, (f"from {_module_name(trial, source, home)} import {top}",) if not bound else ()


def _module_name(trial: Trial, source: Source, home: Source) -> str:
    """The module of the loaders as a file imports it: relative if its other imports are."""
    module = trial.modules.name_of(home)
    package = trial.modules.name_of(source).rpartition(".")[0]
    is_relative = any(node.level == 1 for node in source.names.of(ast.ImportFrom))
    if package and is_relative and module.startswith(f"{package}."):
        return module.removeprefix(package)
    return module


EXAMPLE = '''\
--- model_def.py
- from pedl.frameworks.keras import TFKerasTrial
+ from functools import cached_property
+
+ from determined.keras import TFKerasTrial, TFKerasTrialContext
+
+ from data import make_data_loaders


  class Trial(TFKerasTrial):
      width = 4
+
+     def __init__(self, context: TFKerasTrialContext) -> None:
+         self.context = context
+         context.configure_fit(shuffle=False)
+
+     @cached_property
+     def data_loaders(self):
+         """Training and validation data, from one call: they may share one shuffle."""
+         return make_data_loaders(self.context)
+
+     def build_training_data_loader(self):
+         training, _ = self.data_loaders
+         return training
+
+     def build_validation_data_loader(self):
+         _, validation = self.data_loaders
+         return validation
'''
