"""The data that a script gives to ``fit``: what they are, and whether a loader may return them."""

from __future__ import annotations

import ast

from pedl2det.facts.scopes import FUNCTIONS
from pedl2det.findings import Unclear
from pedl2det.script.parts import Parts
from pedl2det.script.walk import function_named, own_nodes


def meaning(parts: Parts, value: ast.expr) -> ast.expr:
    """The expression that a name was given, if it was given one; the value itself otherwise."""
    if not isinstance(value, ast.Name):
        return value
    names = parts.source.names
    statements = [*parts.before, *(n for n in parts.source.tree.body if n not in parts.moving)]
    bound = [
        node
        for node in own_nodes([one for one in statements if not isinstance(one, FUNCTIONS)])
        if isinstance(node, ast.Name) and node.id == value.id and isinstance(node.ctx, ast.Store)
    ]
    match names.parents[bound[0]] if len(bound) == 1 else None:
        case ast.Assign(targets=[ast.Name()], value=given):
            return given
    return value


def is_sequence(parts: Parts, value: ast.expr) -> ast.Call | None:
    """The call of ``flow`` or ``flow_from_directory`` that gives an iterator of images."""
    match meaning(parts, value):
        case ast.Call(func=ast.Attribute(attr="flow" | "flow_from_directory")) as call:
            return call
    return None


def check_data(parts: Parts, data: ast.expr, *, is_whole: bool) -> None:
    """Refuse what a loader may not return: generators; a list where a tuple is meant.

    Args:
        parts: the script.
        data: the expression.
        is_whole: whether it is all that a loader returns, and not one part of a tuple.

    Raises:
        Unclear: it is such a thing.
    """
    found = meaning(parts, data)
    if isinstance(found, ast.GeneratorExp) or _is_drawn(parts, found):
        message = (
            "the data come from a generator, whose batches can only be drawn in turn: a loader "
            "returns a Sequence, arrays, or a tf.data.Dataset"
        )
        raise Unclear(data, message)
    if is_whole and isinstance(found, ast.List):
        raise Unclear(data, "a list of arrays: write it as a tuple, as loaders return it")
    if is_whole and isinstance(found, ast.Tuple) and len(found.elts) not in (2, 3):
        raise Unclear(data, "expected (inputs, targets) or (inputs, targets, weights)")


def check_processes(parts: Parts, data: ast.expr, said: ast.expr | None) -> None:
    """Refuse an iterator of images that shuffles itself, anew in every process.

    Args:
        parts: the script.
        data: the training data.
        said: the argument ``use_multiprocessing``, if there is one.

    Raises:
        Unclear: this is such an iterator.
    """
    call = is_sequence(parts, data)
    if call is None or said is None or (isinstance(said, ast.Constant) and not said.value):
        return
    for keyword in call.keywords:
        is_false = isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        if keyword.arg == "shuffle" and is_false:
            return
    message = (
        "each process shuffles these images by itself, so that no two runs are the same: say "
        "shuffle=False to flow, or use_multiprocessing=False"
    )
    raise Unclear(data, message)


def _is_drawn(parts: Parts, value: ast.expr) -> bool:
    """Whether a value comes from a generator function of the script."""
    match value:
        case ast.Call(func=ast.Name(id=name)):
            function = function_named(parts.source, name)
            local = [n for n in parts.before if isinstance(n, ast.FunctionDef) and n.name == name]
            bodies = [one.body for one in (function, *local) if one is not None]
            drawn = (ast.Yield, ast.YieldFrom)
            return any(isinstance(node, drawn) for body in bodies for node in own_nodes(body)) or (
                name in ("iter", "zip", "map", "cycle")
            )
    return False
