"""The trial calls ``make_data_loaders`` once and keeps both loaders.

The function is not split: two calls would shuffle twice, and validation data would be trained on.
"""

from __future__ import annotations

from collections.abc import Iterable

from pedl2det.analysis.loaders import needs_unwrapping
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.findings import Kind
from pedl2det.fixes import AddMember, Fix, Form, Remark

ID = "P005"
NAME = "data-loaders"

_METHODS = '''\
@cached_property
def data_loaders(self):
    """Training and validation data, from one call: they may share one shuffle."""
    return {call}

def build_training_data_loader(self):
    training, _ = self.data_loaders
    return {training}

def build_validation_data_loader(self):
    _, validation = self.data_loaders
    return {validation}
'''


def check(trial: Trial) -> Iterable[Fix | Remark]:
    """Give each root class its loader methods."""
    if trial.generation is not Generation.PEDL or not trial.roots:
        return
    for root in trial.roots:
        if any(trial.flow.method(root, name) for name in ("build_training_data_loader",)):
            continue
        source = trial.modules.home(root)
        if trial.loaders is None:
            message = "no make_data_loaders in this project, so the trial has no data"
            help_ = "define build_training_data_loader and build_validation_data_loader"
            yield Remark(ID, source, root, Kind.LEFT, message, help_)
            continue
        yield _with_methods(trial, root)


def _with_methods(trial: Trial, root) -> Fix:  # type: ignore[no-untyped-def]
    source, loaders = trial.modules.home(root), trial.loaders
    assert loaders is not None
    home = trial.modules.home(loaders)
    imports = ["from functools import cached_property"]
    if home is not source:
        imports.append(f"from {trial.modules.name_of(home)} import {loaders.name}")
    if trial.context.can_take(loaders):
        call, support = f"{loaders.name}(self.context)", []
    else:  # others call it too, with a config and hyperparameters
        config = "self.context.get_experiment_config()"
        call = f"{loaders.name}({config}, legacy_keras.get_hyperparameters())"
        support = ["get_hyperparameters"]
    training, validation = "training", "validation"
    form = Form.FAITHFUL if support else Form.IDIOMATIC
    if needs_unwrapping(trial):
        size = "self.context.get_per_slot_batch_size()"
        training = f"legacy_keras.training_loader(self.context, training, {size})"
        validation = f"legacy_keras.validation_loader(validation, {size})"
        support += ["training_loader", "validation_loader"]
        form = Form.FAITHFUL
    code = _METHODS.format(call=call, training=training, validation=validation)
    edit = AddMember(root, code)
    return Fix(ID, source, root, (edit,), imports=tuple(imports), support=tuple(support), form=form)
