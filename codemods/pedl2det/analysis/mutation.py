"""Whether a value may be changed in place after a line of its function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from pedl2det.analysis.flow import Use, Way
from pedl2det.analysis.trial import Trial


def changed_after(trial: Trial, place: ast.expr, values: Iterable[ast.expr]) -> Iterator[str]:
    """The names among some values that the function changes in place after it reaches a place."""
    source = trial.modules.home(place)
    function = source.names.definition_around(place)
    read = [
        node
        for value in values
        for node in ast.walk(value)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
    for name in dict.fromkeys(node.id for node in read):
        bindings = {one for node in read if node.id == name for one in trial.flow.bindings(node)}
        others = [
            node
            for node in source.names.below(function or source.tree)
            if isinstance(node, ast.Name)
            and node.id == name
            and node.lineno > (place.end_lineno or place.lineno)
            and (not isinstance(node.ctx, ast.Load) or bindings & set(trial.flow.bindings(node)))
        ]
        if any(_is_change(trial, node) for node in others):
            yield name


def _is_change(trial: Trial, node: ast.Name) -> bool:
    parent = trial.modules.home(node).names.parents.get(node)
    if isinstance(parent, ast.AugAssign):
        return parent.target is node
    if not isinstance(node.ctx, ast.Load):
        return False
    return any(_changes(use) for use in trial.flow.uses(node))


def _changes(use: Use) -> bool:
    match use:
        case Use(way=Way.METHOD, around=ast.Call(keywords=given)):
            return use.is_change or any(one.arg == "inplace" for one in given)
    return use.is_change or (use.way is Way.ARGUMENT and use.method == "shuffle")
