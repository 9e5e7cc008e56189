"""Annotations of functions whose loaders have become something else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from pedl2det.analysis.flow import Function
from pedl2det.analysis.source import Source
from pedl2det.analysis.spelling import Spelling, spell
from pedl2det.analysis.trial import Reference, Trial
from pedl2det.edits.type_comments import names_in_type_comments
from pedl2det.fixes import Fix, RenameInTypeComments, Replace

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


def old_types_in_texts(
    rule: str, trial: Trial, pieces: Mapping[str, str], is_gone: bool
) -> Iterable[Fix]:
    """Rewrite old classes in annotations in quotes and in type comments.

    Args:
        rule: the rule that reports it.
        trial: the project.
        pieces: the class in ``legacy_keras`` for each old name.
        is_gone: whether the project makes no object of the classes any more.
    """
    for source in trial.modules:
        new = spell(source, _ANY_DATA)
        imports = new.imports if is_gone else ("import legacy_keras",)

        def written(piece: str, new: Spelling = new) -> str:
            return new.code if is_gone else f"legacy_keras.{piece}"

        for node in source.names.of(ast.Constant):
            if not isinstance(node.value, str) or not source.names.annotation_around(node):
                continue
            tree = _parsed(node.value)
            found = [] if tree is None else list(_old_names(source, tree, pieces))
            if found:
                text = _with(node.value, {one: written(piece) for one, piece in found})
                yield Fix(rule, source, node, (Replace(node, f'"{text}"'),), imports=imports)
        for name in sorted(names_in_type_comments(source.text)):
            piece = _piece(source, name, pieces)
            if piece is not None:
                edit = RenameInTypeComments(source.tree, name, written(piece))
                yield Fix(rule, source, source.tree.body[0], (edit,), imports=imports)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _old_names(
    source: Source, tree: ast.expr, pieces: Mapping[str, str]
) -> Iterable[tuple[ast.expr, str]]:
    for one in ast.walk(tree):
        if isinstance(one, ast.Name | ast.Attribute):
            piece = _piece(source, ast.unparse(one), pieces)
            if piece is not None:
                yield one, piece


def _piece(source: Source, name: str, pieces: Mapping[str, str]) -> str | None:
    """The class in ``legacy_keras`` for a name that a file has imported."""
    top, _, rest = name.partition(".")
    meanings = (f"{one}.{rest}".rstrip(".") for one in source.names.module_bindings(top))
    return next((pieces[one] for one in meanings if one in pieces), None)


def _with(text: str, changed: Mapping[ast.expr, str]) -> str:
    """A text of one line with other texts in the places of some expressions."""
    for one in sorted(changed, key=lambda node: -node.col_offset):
        text = text[: one.col_offset] + changed[one] + text[one.end_col_offset :]
    return text


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
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        yield from _quoted(rule, source, annotation, annotation.value, places)
        return
    for name in _members(annotation, places):
        if _means_sequence(source, name):
            found = spell(source, _ANY_DATA)
            edit = Replace(name, found.code)
            yield Fix(rule, source, name, (edit,), imports=found.imports)


def _quoted(
    rule: str, source: Source, annotation: ast.Constant, text: str, places: set[int | None]
) -> Iterable[Fix]:
    """The same for an annotation in quotes."""
    tree = _parsed(text)
    if tree is None:
        return
    members = [
        one for one in _members(tree, places) if ast.unparse(one).rpartition(".")[2] == "Sequence"
    ]
    if not members:
        return
    found = spell(source, _ANY_DATA)
    new = _with(text, dict.fromkeys(members, found.code))
    yield Fix(rule, source, annotation, (Replace(annotation, f'"{new}"'),), imports=found.imports)


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
