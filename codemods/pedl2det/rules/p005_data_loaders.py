"""The trial calls ``make_data_loaders`` once and keeps both loaders.

The function is not split: two calls would shuffle twice, and validation data would be trained on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.entry import is_called_by_name
from pedl2det.analysis.loaders import (
    RECORD_LOADERS,
    TRAINING_METHOD,
    cuts_by_hyperparameter,
    needs_unwrapping,
    pair_name,
)
from pedl2det.analysis.source import Source
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import LOADERS_CONTEXT, AddMember, Fix, Remark
from pedl2det.rules.cases import Case
from pedl2det.rules.small_trials import (
    loaders,
    migrated_model,
    migrated_trial,
    pedl_trial,
    with_data,
)

ID = "P005"
NAME = "data-loaders"

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
_PIECES = {
    "training": "legacy_keras.training_loader",
    "validation": "legacy_keras.validation_loader",
}
_NONE = "no make_data_loaders in this project, so it is not visible which data the trial has"
_TWO = (
    "PEDL took the data from make_data_loaders, and Determined would call this method of the same "
    "trial, which PEDL never did"
)
_RENAME = "rename it, or delete make_data_loaders if this method returns the same training data"
_ODD = "PEDL called make_data_loaders by the names of the parameters that it has"
_TAKE_BOTH = "def make_data_loaders(experiment_config, hparams): ..."
_IMPORT = (
    "make_data_loaders or cached_property cannot be imported here: the module of the loaders "
    "imports this one, or the name is used for something else"
)
_MOVE = "move make_data_loaders into a module of its own"
_CACHED = "from functools import cached_property"
_DEFINE = "define build_training_data_loader and build_validation_data_loader"


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Give the trial classes their loader methods."""
    if trial.generation is not Generation.PEDL or not trial.roots:
        return
    for owner in _owners(trial):
        present = trial.flow.method(owner, TRAINING_METHOD)
        if trial.loaders_place is None and present is None and trial.is_whole:
            yield Remark(ID, trial.modules.home(owner), owner, Kind.LEFT, _NONE, _DEFINE)
        elif trial.loaders_place is not None and present is not None:
            yield Remark(ID, trial.modules.home(present), present, Kind.LEFT, _TWO, _RENAME)
        elif trial.loaders_place is None:
            continue  # migrated by hand already
        elif trial.loaders is not None and is_called_by_name(trial.loaders):
            home = trial.modules.home(trial.loaders)
            yield Remark(ID, home, trial.loaders, Kind.LEFT, _ODD, _TAKE_BOTH)
        else:
            called = _called(trial, trial.modules.home(owner))
            if called is None:
                yield Remark(ID, trial.modules.home(owner), owner, Kind.LEFT, _IMPORT, _MOVE)
            else:
                yield _with_methods(trial, owner, *called)


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
    source = trial.modules.home(owner)
    context = f"self.{trial.context.attribute}"
    loaders = {"training": "training", "validation": "validation"}
    if needs_unwrapping(trial):
        size = _cut_size(trial, context)
        for role, piece in _PIECES.items():
            arguments = f"{context}, {role}"
            if size:
                arguments = f"\n        {arguments}, {size}\n    "
            loaders[role] = f"{piece}({arguments})"
    code = _METHODS.format(name=pair_name(trial), call=call, **loaders)
    return Fix(ID, source, owner, (AddMember(owner, code),), imports=(_CACHED, *imports))


def _cut_size(trial: Trial, context: str) -> str:
    """The size of the batches into which records are cut; empty if nothing is cut."""
    if not trial.uses(*RECORD_LOADERS):
        return ""
    cuts = cuts_by_hyperparameter(trial)
    return f"{context}.get_per_slot_batch_size()" if cuts else "self.batch_size()"


def _called(trial: Trial, source: Source) -> tuple[str, tuple[str, ...]] | None:
    """The call and its import; None where an import would be circular, or hide a name."""
    place, home = trial.loaders_place, trial.loaders_home
    assert place is not None and home is not None
    name = trial.modules.split(place)[1]  # of a method with its class
    code = f"{name}({LOADERS_CONTEXT})"
    if trial.loaders is None or not trial.context.can_take(trial.loaders):
        code = (
            f"{name}(\n        legacy_keras.get_experiment_config(), "
            "legacy_keras.get_hyperparameters()\n    )"
        )
    is_taken = source.names.module_bindings("cached_property") not in (
        [],
        ["functools.cached_property"],
    )
    if home is source:
        return None if is_taken else (code, ())
    top, _, method = name.partition(".")
    bound = [source.names.follow(one) for one in source.names.module_bindings(top) if one]
    is_other = source.names.module_bindings(top) and bound != [place.removesuffix(f".{method}")]
    if is_taken or is_other or trial.modules.imports(home, source):
        return None
    return code, (f"from {_said(trial, source, home)} import {top}",) if not bound else ()


def _said(trial: Trial, source: Source, home: Source) -> str:
    """How a file names the module of the loaders: relatively, if it names its neighbours so."""
    module = trial.modules.name_of(home)
    package = trial.modules.name_of(source).rpartition(".")[0]
    is_relative = any(node.level == 1 for node in source.names.of(ast.ImportFrom))
    if package and is_relative and module.startswith(f"{package}."):
        return module.removeprefix(package)
    return module


_LOAD = "from rows import load"
_OLD = 'return load(0, hparams["batch_size"]), load(1, 4)\n'
_NEW = "return load(0, context.get_per_slot_batch_size()), load(1, 4)\n"
_TOOL = "from data import make_data_loaders\n\nprint(make_data_loaders({}, {'batch_size': 8}))\n"
_CUT = """(
            self.context, {role}, self.context.get_per_slot_batch_size()
        )"""

CASES = (
    Case(pedl_trial(_OLD, _LOAD), migrated_trial(_NEW, _LOAD)),
    Case(  # records, which are cut into batches
        pedl_trial(
            "train = ArrayBatchLoader(*load(0))\nreturn train, ArrayBatchLoader(*load(1))\n",
            f"{_LOAD}\n\nfrom pedl.data import ArrayBatchLoader",
        ),
        {
            "data.py": loaders(
                "train = legacy_keras.ArrayBatchLoader(*load(0))\n"
                "return train, legacy_keras.ArrayBatchLoader(*load(1))\n",
                f"{_LOAD}\n\nimport legacy_keras",
                "",
            ),
            "model_def.py": migrated_model("", unwrapped=True)
            .replace("(self.context, training)", _CUT.format(role="training"))
            .replace("(self.context, validation)", _CUT.format(role="validation")),
        },
    ),
    Case(  # a module that imports the trial
        with_data(loaders(_OLD, f"from model_def import Net\n{_LOAD}")),
        {},
        says="carried over as it was: make_data_loaders or cached_property cannot",
    ),
    Case(  # a tool calls it with arguments of its own, so its parameters stay
        {**pedl_trial(_OLD, _LOAD), "tool.py": _TOOL},
        {
            "model_def.py": migrated_model("both", more="legacy_keras.bind(context)\n").replace(
                "        return make_data_loaders(self.context)",
                "        return make_data_loaders(\n"
                "            legacy_keras.get_experiment_config(), "
                "legacy_keras.get_hyperparameters()\n"
                "        )",
            )
        },
    ),
    Case(
        {"model_def.py": pedl_trial("pass\n")["model_def.py"]},
        {},
        says="no make_data_loaders in this project",
        status="begun",
    ),
)
