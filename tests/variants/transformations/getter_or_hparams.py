"""Ask `pedl` for a hyperparameter instead of the parameter, or the other way round."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.imports import add_import
from variants.modules import is_unused
from variants.project import Project, with_file
from variants.source import Source
from variants.trial import hparam_reads, hparams_of


def transform(project: Project, chance: random.Random) -> Project | None:
    """Change one read of a hyperparameter in a function that is given all of them."""

    def places(source: Source) -> list[tuple[ast.expr, str]]:
        found: list[tuple[ast.expr, str]] = []
        for function in source.functions():
            name = hparams_of(project, source, function)
            if not name:
                continue
            for read in hparam_reads(source, function, name):
                found.append((read, f"pedl.get_hyperparameter({source.segment(read.slice)})"))
            for call in source.walk(ast.Call):
                is_getter = ast.unparse(call.func) == "pedl.get_hyperparameter" and call.args
                if is_getter and function in source.ancestors(call):
                    found.append((call, f"{name}[{source.segment(call.args[0])}]"))
        return found

    def apply(path: str, source: Source, place: tuple[ast.expr, str]) -> Project | None:
        node, text = place
        edits = [source.replace(node, text)]
        if "import pedl\n" not in source.text:
            if not is_unused(source, "pedl"):
                return None
            edits.append(add_import(source, "import pedl\n"))
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, places, apply)
