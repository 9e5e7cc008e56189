"""Compile the model in a helper, alone or with the statements before it."""

from __future__ import annotations

import ast
import random

from variants import extract
from variants.choosing import in_some_module
from variants.project import Project
from variants.scopes import fresh
from variants.source import Source, is_call_of

NAMES = ("compile_model", "_compile", "compiled", "finish_model", "setup_training")


def transform(project: Project, chance: random.Random) -> Project | None:
    """Move the statement that compiles a model."""
    name = fresh(project, chance, *NAMES)

    def places(source: Source) -> list[list[ast.stmt]]:
        found = []
        for function in source.functions():
            for number, statement in enumerate(function.body):
                is_compile = isinstance(statement, ast.Expr) and is_call_of(
                    statement.value, "compile"
                )
                if is_compile:
                    found += [function.body[start : number + 1] for start in range(number + 1)]
        return found

    def apply(path: str, source: Source, statements: list[ast.stmt]) -> Project | None:
        return extract.statements_into_helper(project, path, source, statements, name)

    return in_some_module(project, chance, places, apply)
