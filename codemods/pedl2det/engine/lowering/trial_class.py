"""Write the trial of a script.

The script becomes a generator: it yields what it gives to ``fit``, and goes on when the training
ends.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.parts import Parts, in_function
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import spaced

_TRIAL = '''

class {name}(TFKerasTrial):
    """Trains what the script yields, and resumes it when the training ends."""

    def __init__(self, {parameter}) -> None:
        pass

    def build_model(self, hparams):
        return self.fit.model

    def build_training_data_loader(self):
        return self.fit.training_data

    def build_validation_data_loader(self):
        return self.fit.validation_data

    def keras_callbacks(self, hparams):
        callbacks, epoch = self.fit.callbacks, self.fit.epoch
        return legacy_keras.with_epoch_logs(self.context, callbacks, epoch)
'''


def class_name(script: Script) -> str:
    """The name of the trial's class: ``train.py`` makes ``TrainTrial``."""
    words = re.split(r"[^0-9A-Za-z]+", script.facts.name.rpartition(".")[2])
    name = "".join(word[:1].upper() + word[1:] for word in words).removesuffix("Trial") + "Trial"
    while not name[:1].isalpha() or script.source.names.module_bindings(name):
        name = f"Script{name}"
    return name


def generator(script: Script, parts: Parts, call: str) -> list[Any]:
    """The trial of a script, and the function that holds its statements.

    Args:
        script: the script, which yields what it gives to ``fit``.
        parts: its parts.
        call: the call of a generator that the script consists of; empty for any other script.
    """
    shared, parameter = parts.shared, script.parameter
    own = "trial_context" if parameter in shared else parameter
    name = "script"
    while script.source.names.module_bindings(name):
        name += "_"
    found = [] if call else [_script(f"{name}({own})", parts, parameter)]
    lines = [
        f"self.fit = legacy_keras.started({call or f'{name}({own})'})",
        "self.context.configure_fit(shuffle=False, **self.fit.settings)",
    ]
    text = _TRIAL.format(
        name=class_name(script),
        parameter=f"{own}: TFKerasTrialContext" if own else "hparams",
    )
    return [*found, _with_constructor(text, list(map(cst.parse_statement, lines)))]


def _script(head: str, parts: Parts, parameter: str) -> Any:
    """The generator of a script's statements."""
    shared = parts.shared
    first = [f"global {', '.join(shared)}"] if shared else []
    first += [f"{parameter} = trial_context"] if parameter in shared else []
    made: Any = cst.parse_statement(f"def {head}:\n    pass\n")
    lines = [*map(cst.parse_statement, first), *(in_function(one, shared) for one in parts.moving)]
    body = made.body.with_changes(body=spaced(lines))
    return made.with_changes(body=body, leading_lines=[cst.EmptyLine(indent=False)] * 2)


def _with_constructor(text: str, lines: list[Any]) -> Any:
    made: Any = cst.parse_module(text).body[0]
    methods = list(made.body.body)
    first = methods[1]
    methods[1] = first.with_changes(body=first.body.with_changes(body=spaced(lines)))
    return made.with_changes(
        body=made.body.with_changes(body=methods),
        leading_lines=[cst.EmptyLine(indent=False)] * 2,
    )
