"""Write the trial of a script.

A plain script trains in its own statements: those become the trial's constructor, which keeps what
``fit`` was given, and a function for what comes after. Any other script becomes a generator: it
yields what it gives to ``fit``, and goes on when the training ends.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.fit_call import arguments_of
from pedl2det.engine.lowering.parts import Parts, in_function
from pedl2det.engine.lowering.script import Script
from pedl2det.engine.lowering.statements import Line, bound_names, read_names, spaced

_DOCSTRING = '"""Trains the model of this script, on the data that it gave to fit."""'
_YIELDED = '"""Trains what the script yields, and resumes it when the training ends."""'
_METHODS = """

class {name}(TFKerasTrial):
    {docstring}

    def __init__(self, {parameter}) -> None:
        pass

    def build_model(self, hparams):
        return {source}.model

    def build_training_data_loader(self):
        return {source}.training_data

    def build_validation_data_loader(self):
        return {source}.validation_data
"""
_CALLBACKS = """
    def keras_callbacks(self, hparams):
        return {callbacks}
"""
_NO_VALIDATION = """\
        # TODO(pedl2det P015): return the validation data, which every trial needs
        raise NotImplementedError
"""
_EXITS = ("sys.exit(", "exit(", "quit(")


def class_name(script: Script) -> str:
    """The name of the trial's class: ``train.py`` makes ``TrainTrial``."""
    words = re.split(r"[^0-9A-Za-z]+", script.facts.name.rpartition(".")[2])
    name = "".join(word[:1].upper() + word[1:] for word in words).removesuffix("Trial") + "Trial"
    while not name[:1].isalpha() or script.source.names.module_bindings(name):
        name = f"Script{name}"
    return name


def plain(
    script: Script, parts: Parts, call: ast.Call, history: str, end: int, epoch: str = ""
) -> Any:
    """The trial of a plain script.

    Args:
        script: the script, in which statements of the trial have taken the place of ``fit``.
        parts: its parts.
        call: the call of ``fit``.
        history: the name of what ``fit`` returned; empty if it had none.
        end: how many of the statements come before the end of the training.
        epoch: what says how many batches an epoch has, if callbacks count them.
    """
    given = arguments_of(call)
    after = list(parts.moving[end:])
    while after and _code_of(after[-1]).startswith(_EXITS):
        after.pop()
    lines = [one.code for one in parts.moving[:end]]
    is_list = isinstance(given.get("callbacks"), ast.List)
    callbacks = "self.callbacks" if "callbacks" in given else ""
    if after:
        nodes = [one.node for one in after]
        parameter = history if history in read_names(nodes) else "_history"
        outer = bound_names(nodes) & (bound_names(parts.nodes[:end]) | {script.parameter})
        lines += _after_training(sorted(outer), parameter, after)
        mine = callbacks if is_list or not callbacks else f"({callbacks} or [])"
        mine = f"*{mine}, " if mine else ""
        callbacks = f"[{mine}legacy_keras.AfterTraining(self.after_training)]"
    elif epoch and not is_list:
        callbacks = f"{callbacks} or []"
    callbacks = _with_epochs(callbacks, epoch)
    text = _methods(script, script.docstring or _DOCSTRING, "self", callbacks)
    if not {"validation_data", "validation_split"} & given.keys():
        text = text.replace("        return self.validation_data\n", _NO_VALIDATION)
    return _with_constructor(text, lines)


def _with_epochs(callbacks: str, epoch: str) -> str:
    if not epoch:
        return callbacks
    return f"legacy_keras.with_epoch_logs(self.context, {callbacks}, {epoch})"


def _after_training(outer: list[str], parameter: str, after: list[Line]) -> list[Any]:
    """The function that does what the script did after the training."""
    head = [cst.parse_statement(f"nonlocal {', '.join(outer)}")] if outer else []
    made: Any = cst.parse_statement(f"def after_training({parameter}):\n    pass\n")
    body = made.body.with_changes(body=spaced([*head, *(one.code for one in after)]))
    keep: Any = cst.parse_statement("self.after_training = after_training")
    blank = [cst.EmptyLine(indent=False)]
    made = made.with_changes(body=body, leading_lines=blank)
    return [made, keep.with_changes(leading_lines=blank)]


def generator(script: Script, parts: Parts, call: str, by_epochs: bool) -> list[Any]:
    """The trial of any other script, and the function that holds its statements.

    Args:
        script: the script, which yields what it gives to ``fit``.
        parts: its parts.
        call: the call of a generator that the script consists of; empty for any other script.
        by_epochs: whether callbacks may count the batches of an epoch.
    """
    shared, parameter = parts.shared, script.parameter
    own = "trial_context" if parameter in shared else parameter
    name = "script"
    while script.source.names.module_bindings(name):
        name += "_"
    found = [] if call else [_script(f"{name}({own})", parts, parameter)]
    lines = [
        f"self.script = {call or f'{name}({own})'}",
        "self.fit = next(self.script)",
        "self.context.configure_fit(shuffle=False, **self.fit.settings)",
    ]
    callbacks = "[*self.fit.callbacks, legacy_keras.AfterTraining(self.script.send)]"
    epoch = "self.fit.steps_per_epoch or self.fit.training_data" if by_epochs else ""
    callbacks = _with_epochs(callbacks, epoch)
    text = _methods(script, _YIELDED, "self.fit", callbacks, own)
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


def _methods(
    script: Script, docstring: str, source: str, callbacks: str, parameter: str = ""
) -> str:
    """The class with an empty constructor."""
    own = parameter or script.parameter
    text = _METHODS.format(
        name=class_name(script),
        docstring=docstring,
        parameter=f"{own}: TFKerasTrialContext" if own else "hparams",
        source=source,
    )
    return text + (_CALLBACKS.format(callbacks=callbacks) if callbacks else "")


def _with_constructor(text: str, lines: list[Any]) -> Any:
    made: Any = cst.parse_module(text).body[0]
    methods = list(made.body.body)
    first = methods[1]
    methods[1] = first.with_changes(body=first.body.with_changes(body=spaced(lines)))
    return made.with_changes(
        body=made.body.with_changes(body=methods),
        leading_lines=[cst.EmptyLine(indent=False)] * 2,
    )


def _code_of(line: Line) -> str:
    return cst.Module([]).code_for_node(line.code.with_changes(leading_lines=[])).strip()
