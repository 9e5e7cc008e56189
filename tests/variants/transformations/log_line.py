"""Print or log a value, in an f-string or with arguments."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import
from variants.project import Project, with_file
from variants.source import Source
from variants.transformations.name_subexpression import can_precede
from variants.trial import hparam_reads, hparams_of, trial_classes

HPARAMS = (
    "print(f\"{key}: {{{name}['{key}']}}\")\n",
    'print("{key}", {name}["{key}"])\n',
    "logging.info(f\"{key} is {{{name}['{key}']}}\")\n",
    'logging.info("{key} is %s", {name}["{key}"])\n',
    'print("hparams", {name})\n',
    'print(f"hparams: {{{name}}}")\n',
    'print("{key} = {{}}".format({name}["{key}"]))\n',
    'logging.debug("%s", {name}.items())\n',
)
VALUES = (
    'print("made", type({name}).__name__)\n',
    'logging.info(f"made {{type({name})}}")\n',
    'logging.debug("made %s", type({name}))\n',
)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Add one line that changes nothing but the output."""

    def places(source: Source) -> list[tuple[ast.stmt, str, str]]:
        found = []
        for function in source.functions():
            holder = source.class_of(function)
            if holder is not None and holder not in trial_classes(source):
                continue
            for statement in function.body:
                if not can_precede(source, statement) or statement.lineno == function.lineno:
                    continue
                name = hparams_of(project, source, function)
                for read in hparam_reads(source, function, name or ""):
                    found.append((statement, name, read.slice.value))  # type: ignore[attr-defined]
                match statement:
                    case ast.Assign(targets=[ast.Name(id=target)]):
                        found.append((statement, target, ""))
        return found

    def apply(path: str, source: Source, place: tuple[ast.stmt, str, str]) -> Project | None:
        statement, name, key = place
        if key:
            edits = [source.before(statement, chance.choice(HPARAMS).format(name=name, key=key))]
        else:
            edits = [source.after(statement, chance.choice(VALUES).format(name=name))]
        if "logging." in edits[0].text and "import logging\n" not in source.text:
            edits.append(add_import(source, "import logging\n"))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)
