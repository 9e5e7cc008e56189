"""Write a value where it is used, on the next line, instead of naming it."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.order import evaluated_first
from variants.project import Project, with_file
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Inline one name that is bound once and read once, first of all in the next statement."""

    def apply(path: str, source: Source, pair: tuple[ast.Assign, ast.Name]) -> Project | None:
        assignment, use = pair
        text = source.expression(assignment.value)
        if isinstance(assignment.value, ast.Lambda | ast.IfExp | ast.BinOp | ast.BoolOp):
            text = f"({text})"
        edits = [source.replace_lines(assignment, assignment, ""), source.replace(use, text)]
        return with_file(project, path, source.edited(edits))

    return in_some_module(project, chance, _pairs, apply)


def _pairs(source: Source) -> list[tuple[ast.Assign, ast.Name]]:
    found = []
    for statement in source.walk(ast.Assign):
        function = source.function_of(statement)
        body = source.body_of(statement)
        following = body[body.index(statement) + 1 :][:1]
        target = statement.targets[0]
        if function is None or not following or not isinstance(target, ast.Name):
            continue
        names = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and node.id == target.id
        ]
        first = evaluated_first(source, following[0])
        uses = [node for node in names if node is not target and node in first]
        if len(names) == 2 and len(uses) == 1:
            found.append((statement, uses[0]))
    return found
