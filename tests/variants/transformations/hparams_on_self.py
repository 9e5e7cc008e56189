"""Keep all hyperparameters on the trial in its constructor and read them there."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.constructors import with_constructor_line
from variants.project import Project, with_file
from variants.source import Source
from variants.trial import hparam_reads, hparams_of, is_legacy, methods, trial_classes

NAMES = ("hparams", "hp", "_hparams", "params", "hyperparameters", "conf")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Set `self.hparams` and read it in one method instead of the parameter or the context."""
    name = chance.choice(NAMES)

    def apply(path: str, source: Source, function: ast.FunctionDef) -> Project | None:
        holder = source.class_of(function)
        assert holder is not None
        if f"self.{name}" in source.text:
            return None
        own = hparams_of(project, source, function)
        if is_legacy(project):
            reads = hparam_reads(source, function, own) if own else []
            edits = [source.replace(one.value, f"self.{name}") for one in reads]
            line = f"self.{name} = {{0}}\n"
        else:
            reads_ = _context_reads(source, function)
            edits = [
                source.replace(one, f"self.{name}[{source.segment(one.args[0])}]") for one in reads_
            ]
            line = f"self.{name} = {{0}}.get_hparams()\n"
        added = with_constructor_line(project, source, holder, line)
        if not edits or added is None:
            return None
        return with_file(project, path, source.edited([*edits, *added]))

    return in_some_module(project, chance, _methods, apply)


def _methods(source: Source) -> list[ast.FunctionDef]:
    return [
        one for node in trial_classes(source) for one in methods(node) if one.name != "__init__"
    ]


def _context_reads(source: Source, function: ast.FunctionDef) -> list[ast.Call]:
    return [
        node
        for node in source.walk(ast.Call)
        if function in source.ancestors(node)
        and ast.unparse(node.func) == "self.context.get_hparam"
        and node.args
    ]
