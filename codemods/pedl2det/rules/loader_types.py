"""Annotations of functions whose loaders have become something else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from pedl2det.analysis.flow import Function
from pedl2det.analysis.source import Source
from pedl2det.analysis.spelling import spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.fixes import Fix, Replace

_ANY_DATA = "determined.keras.InputData"


def old_type(rule: str, reference: Reference, piece: str, is_gone: bool) -> Fix:
    """Rewrite an old class in an annotation: no object of it may be left.

    Args:
        rule: the rule that reports it.
        reference: the name in the annotation.
        piece: the class in ``legacy_keras``.
        is_gone: whether the project makes no object of the class any more.
    """
    node = reference.node
    assert isinstance(node, ast.expr)
    if not is_gone:
        edit = Replace(node, f"legacy_keras.{piece}")
        return Fix(rule, reference.source, node, (edit,))
    found = spell(reference.source, _ANY_DATA)
    return Fix(rule, reference.source, node, (Replace(node, found.code),), imports=found.imports)


def types_of_arrays(rule: str, trial: Trial, calls: Sequence[ast.Call]) -> Iterable[Fix]:
    """Correct ``Sequence`` in the annotations of functions and variables that hold arrays now.

    Args:
        rule: the rule that makes the arrays.
        trial: the project.
        calls: the calls that become arrays.
    """
    if not calls:
        return
    for source in trial.modules:
        for annotation, values in _annotated(trial, source):
            places = _places(trial, values, calls)
            if places:
                yield from _corrected(rule, source, annotation, places)


def _annotated(trial: Trial, source: Source) -> Iterable[tuple[ast.expr, list[ast.expr]]]:
    """The annotations of results and variables, each with what it speaks of."""
    for node in source.names.of(ast.FunctionDef, ast.AsyncFunctionDef, ast.AnnAssign):
        if isinstance(node, Function) and node.returns is not None:
            yield node.returns, trial.flow.returned(node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.annotation, [node.value]


def _places(trial: Trial, values: Iterable[ast.expr], calls: Sequence[ast.Call]) -> set[int | None]:
    """Where arrays are among some values: the values (None) or members of tuples."""
    found: set[int | None] = set()
    for value in values:
        for step in (None, 0, 1):
            path = () if step is None else (step,)
            origins = trial.flow.origins(value, path)
            if any(one.node in calls and not one.path for one in origins):
                found.add(step)
    return found


def _corrected(
    rule: str, source: Source, annotation: ast.expr, places: set[int | None]
) -> Iterable[Fix]:
    for name in _members(annotation, places):
        if _means_sequence(source, name):
            found = spell(source, _ANY_DATA)
            edit = Replace(name, found.code)
            yield Fix(rule, source, name, (edit,), imports=found.imports)


def _members(annotation: ast.expr, places: set[int | None]) -> list[ast.expr]:
    """The parts of an annotation that speak of some members of a tuple, or of the value."""
    parts = [annotation] if None in places else []
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.slice, ast.Tuple):
        elements = annotation.slice.elts
        parts += [elements[one] for one in places if one is not None and one < len(elements)]
    return [part for part in parts if isinstance(part, ast.Name | ast.Attribute)]


def _means_sequence(source: Source, node: ast.expr) -> bool:
    dotted = source.names.qualified(node) or ""
    return dotted.rpartition(".")[2] == "Sequence" and "keras" in dotted
