"""Assign values one by one: `a, b = f(), g()` becomes `a = f()` and `b = g()`."""

from __future__ import annotations

import ast
import random

from variants.choosing import in_some_module
from variants.project import Project, with_file
from variants.source import Source


def transform(project: Project, chance: random.Random) -> Project | None:
    """Split one assignment of a tuple of which no value reads an earlier target."""

    def apply(path: str, source: Source, node: ast.Assign) -> Project | None:
        pairs = _pairs(node)
        if pairs is None:
            return None
        lines = [f"{source.segment(a)} = {source.expression(b)}\n" for a, b in pairs]
        edit = source.replace_lines(node, node, "".join(lines))
        return with_file(project, path, source.edited([edit]))

    return in_some_module(project, chance, lambda source: source.walk(ast.Assign), apply)


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]] | None:
    match node:
        case ast.Assign(targets=[ast.Tuple() | ast.List() as left], value=ast.Tuple() as right):
            pairs = list(zip(left.elts, right.elts, strict=False))
            same = len(left.elts) == len(right.elts)
            if not same or any(isinstance(one, ast.Starred) for pair in pairs for one in pair):
                return None
            bound: set[str] = set()
            for target, value in pairs:
                names = {ast.dump(one, annotate_fields=False) for one in ast.walk(value)}
                texts = {ast.unparse(one) for one in ast.walk(value) if isinstance(one, ast.expr)}
                if bound & texts or not names:
                    return None
                bound.add(ast.unparse(target))
            return pairs
    return None
