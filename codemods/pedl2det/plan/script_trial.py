"""The trial class that a script becomes."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import Any

import libcst as cst

from pedl2det.edit import making
from pedl2det.findings import Unclear
from pedl2det.plan.constructor import CONTEXT_CLASS
from pedl2det.plan.script_moves import Moves, comments_in
from pedl2det.plan.script_pieces import assigned, configured, tupled, values
from pedl2det.script.fit_call import FitCall
from pedl2det.script.parts import Parts
from pedl2det.script.walk import bound_names

_SKELETON = """\
class {name}(TFKerasTrial):
    {docstring}

    def __init__(self, context: {context}) -> None:
        self.context = context

    def build_model(self):
        return self.model

    def build_training_data_loader(self):
        return self.training_data

    def build_validation_data_loader(self):
        return self.validation_data
"""
_DOCSTRING = '"""Trains the model of this script, on the data that it gave to fit."""'
_CALLBACKS = """
    def keras_callbacks(self):
        return {callbacks}
"""
_AFTER = '''
    def after_training(self, _logs=None):
        """What the script did when its model was trained."""
'''
_OWN_NAMES = {
    *("api_generation", "after_training", "build_model", "build_training_data_loader"),
    *("build_validation_data_loader", "callbacks", "context", "keras_callbacks", "model"),
    *("session_config", "training_data", "validation_data"),
}


@dataclass(frozen=True)
class TrialClass:
    """What the class is made of.

    Attributes:
        name: its name.
        parts: the script.
        fit: what it says to ``fit``.
    """

    name: str
    parts: Parts
    fit: FitCall

    @property
    def carried(self) -> list[str]:
        """Names that are bound before the training and used after it.

        Raises:
            Unclear: the trial has an attribute of that name already.
        """
        before = bound_names(self.parts.before)
        used = {
            node.id: node
            for statement in self.parts.after
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in before
        }
        used.pop(self.parts.model.id, None)
        for name in sorted(used.keys() & _OWN_NAMES):
            raise Unclear(used[name], f"a trial has an attribute {name}: give this another name")
        return sorted(used)

    def appended(self, moves: Moves) -> making.Edit:
        """The edit that puts the class at the end of the module."""

        def edit(module: Any) -> Any:
            before = [*moves.of(self.parts.before), *self._fitted(moves.of([self.parts.fit])[0])]
            after = moves.of(self.parts.after)
            made = _class(self._code())
            made = _with_body(made, "__init__", before, [] if after else moves.left_comments)
            if after:
                after = [*making.statements(self._recalled()), *after]
                made = _with_body(made, "after_training", after, moves.left_comments)
            moves.clear()
            return module.with_changes(body=[*module.body, made])

        return edit

    def _code(self) -> str:
        docstring = self.parts.docstring or _DOCSTRING
        code = _SKELETON.format(name=self.name, context=CONTEXT_CLASS, docstring=docstring)
        last = "tf.keras.callbacks.LambdaCallback(on_train_end=self.after_training)"
        if self.parts.after:
            others = "*self.callbacks, " if self.fit.callbacks else ""
            code += _CALLBACKS.format(callbacks=f"[{others}{last}]") + _AFTER
        elif self.fit.callbacks:
            code += _CALLBACKS.format(callbacks="self.callbacks")
        return code

    def _recalled(self) -> str:
        """The statements that give the names of the constructor to the last method."""
        used = {
            node.id
            for statement in self.parts.after
            for node in ast.walk(statement)
            if isinstance(node, ast.Name)
        }
        model = self.parts.model.id
        lines = [f"{model} = self.model"] if model in used else []
        return "\n".join([*lines, *(f"{name} = self.{name}" for name in self.carried), ""])

    def _fitted(self, line: Any) -> list[Any]:
        """The statements in the place of ``fit``: what it was told, kept and configured."""
        said = values(line)
        x = said.get("x", said.get("generator"))
        training = [x, *(said[n] for n in ("y", "sample_weight") if n in said)]
        training = training[: len(self.fit.training)]
        lines = [
            assigned("self.model", cst.Name(self.parts.model.id)),
            assigned("self.training_data", tupled(training) if self.fit.is_cut else x),
            assigned("self.validation_data", said["validation_data"]),
            configured({name: said[name] for name in self.fit.settings}),
        ]
        if self.fit.callbacks:
            lines.append(assigned("self.callbacks", said["callbacks"]))
        lines += making.statements("".join(f"self.{n} = {n}\n" for n in self.carried))
        left = Counter(comments_in(line)) - Counter(c for new in lines for c in comments_in(new))
        left -= Counter(above.comment.value for above in line.leading_lines if above.comment)
        above = [cst.EmptyLine(comment=cst.Comment(text)) for text in left.elements()]
        lines[0] = lines[0].with_changes(leading_lines=[*line.leading_lines, *above])
        return lines


def needs(parts: Parts) -> list[str]:
    """The imports that the class needs."""
    found = ["from determined.keras import TFKerasTrial"]
    found.append(f"from determined.keras import {CONTEXT_CLASS}")
    return [*found, "import tensorflow as tf"] if parts.after else found


def dropped(parts: Parts, fit: FitCall) -> list[ast.expr]:
    """The arguments of ``fit`` that had no effect and go."""
    kept = [*fit.training, fit.validation, *fit.settings.values(), fit.callbacks]
    given = [*parts.call.args, *(keyword.value for keyword in parts.call.keywords)]
    return [value for value in given if value not in kept]


def _class(code: str) -> Any:
    module = cst.parse_module(code)
    (made,) = module.body
    return made.with_changes(leading_lines=[cst.EmptyLine(indent=False)] * 2)


def _with_body(made: Any, name: str, lines: list[Any], footer: list[Any]) -> Any:
    """Put statements at the end of a method."""
    methods = []
    for item in made.body.body:
        if isinstance(item, cst.FunctionDef) and item.name.value == name:
            body = item.body.with_changes(body=[*item.body.body, *lines], footer=footer)
            item = item.with_changes(body=body)
        methods.append(item)
    return made.with_changes(body=made.body.with_changes(body=methods))
