"""Members of tuples, lists and dicts, by the steps of a path."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from pedl2det.analysis.bindings import Path, Step
from pedl2det.analysis.flow.values import Place


def step_of(key: ast.expr | None) -> Step:
    """The step that a key in brackets means; None for one that is computed."""
    match key:
        case ast.Constant(value=int() | str() as step):
            return step
    return None


def element(elements: list[ast.expr], step: Step) -> int | None:
    """The index of the element that a step certainly means."""
    starred = any(isinstance(one, ast.Starred) for one in elements)
    if isinstance(step, int) and not starred and -len(elements) <= step < len(elements):
        return step
    return None


def of_elements(elements: list[ast.expr], path: Path) -> list[Place]:
    """The elements of a tuple or list that may be the member at a path."""
    index = element(elements, path[0])
    if index is not None:
        return [(elements[index], path[1:])]
    return [(one, path if isinstance(one, ast.Starred) else path[1:]) for one in elements]


def of_dict(pairs: Iterable[tuple[ast.expr | None, ast.expr]], path: Path) -> list[Place]:
    """The values of a dict that may be the member at a path; a key of None stands for ``**``."""
    found: list[Place] = []
    for key, value in pairs:
        if key is None:
            found.append((value, path))
        elif path[0] is None or not isinstance(key, ast.Constant) or key.value == path[0]:
            found.append((value, path[1:]))
    return found
