"""Which ways code goes: what is always done before a return, and what excludes each other."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from pedl2det.facts.source import Source


def always_compiles(
    body: Sequence[ast.stmt], compiles: Sequence[ast.stmt | ast.expr]
) -> bool | None:
    """Whether a body compiles before it returns; None where it goes on without having done so."""
    for statement in body:
        done: bool | None = None
        match statement:
            case _ if statement in compiles:
                return True
            case ast.Return():
                return False
            case ast.Raise():
                return True
            case ast.With(body=inner):
                done = always_compiles(inner, compiles)
            case ast.If(body=inner, orelse=other):
                branches = always_compiles(inner, compiles), always_compiles(other, compiles)
                done = False if False in branches else True if branches == (True, True) else None
            case ast.For() | ast.While() | ast.Try():
                inner_nodes = list(ast.walk(statement))
                if any(isinstance(node, ast.Return) or node in compiles for node in inner_nodes):
                    return False
        if done is not None:
            return done
    return None


def exclude_each_other(source: Source, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes stand in different branches of the same ``if``."""

    def branches(node: ast.AST) -> set[tuple[ast.AST, bool]]:
        found: set[tuple[ast.AST, bool]] = set()
        while node in source.names.parents:
            child, node = node, source.names.parents[node]
            if isinstance(node, ast.If):
                found.add((node, child in node.body))
        return found

    return any((node, not side) in branches(other) for node, side in branches(one))
