"""Check an argument first and raise an error that no run sees."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source, is_docstring

FORMS = (
    'if {0} is None:\n    raise ValueError("no {0}")\n',
    'assert {0} is not None, "no {0}"\n',
    "if {0} is None:\n    raise RuntimeError\n",
)


def transform(project: Project, chance: random.Random) -> Project | None:
    """Check one parameter of a function or method."""

    def places(source: Source) -> list[tuple[ast.FunctionDef, str]]:
        return [
            (function, one.arg)
            for function in source.functions()
            for one in function.args.args
            if one.arg not in ("self", "cls") and not function.args.defaults
        ]

    def apply(path: str, source: Source, place: tuple[ast.FunctionDef, str]) -> Project | None:
        function, name = place
        body = [one for one in function.body if not is_docstring(one)]
        if not body or body[0].lineno == function.lineno:
            return None
        edit = source.before(body[0], chance.choice(FORMS).format(name))
        return with_file(project, path, source.edited([edit]))

    return in_some_module(project, chance, places, apply)
