"""Add a way that no run takes: another optimizer, another loader, an error."""

from __future__ import annotations

import ast
import random
import textwrap

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source
from variants.trial import experiment_config_of, hparams_of

ERRORS = ("ValueError", "NotImplementedError", "RuntimeError", "Exception")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Wrap one assignment in `if kind == ...: ... else: ...` whose other way raises or differs."""

    def places(source: Source) -> list[ast.Assign]:
        return [
            node
            for node in source.walk(ast.Assign)
            for function in [source.function_of(node)]
            if isinstance(function, ast.FunctionDef)
            and node in function.body
            and isinstance(node.targets[0], ast.Name)
            and _holder(project, source, function)
        ]

    def apply(path: str, source: Source, node: ast.Assign) -> Project | None:
        function = source.function_of(node)
        assert isinstance(function, ast.FunctionDef)
        assert isinstance(node.targets[0], ast.Name)
        holder = _holder(project, source, function)
        target = node.targets[0].id
        if target == holder:
            return None
        key = chance.choice(("kind", "mode", "variant", "version"))
        error = f'raise {chance.choice(ERRORS)}("unknown {key}")\n'
        alternative = chance.choice((error, f"{target} = None\n"))
        usual = textwrap.indent(source.lines(node), "    ")
        text = f'if {holder}.get("{key}", "usual") == "usual":\n{usual}else:\n    {alternative}'
        edit = source.replace_lines(node, node, text)
        return with_file(project, path, source.edited([edit]))

    return in_some_module(project, chance, places, apply)


def _holder(project: Project, source: Source, function: ast.FunctionDef) -> str | None:
    return hparams_of(project, source, function) or experiment_config_of(source, function)
