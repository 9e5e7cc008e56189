"""Whether a value that is made is returned on every path that makes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pedl2det.analysis.flow import Function
from pedl2det.analysis.trial import Trial


def is_always_returned(
    trial: Trial, node: ast.expr, index: int, entries: Sequence[ast.AST], depth: int = 0
) -> bool:
    """Whether a loader is returned on every path that makes it."""
    source = trial.modules.home(node)
    parents = source.names.parents
    statement = source.names.statement_of(node)
    inner: ast.AST = node
    while parents[inner] is not statement:  # on the way to its statement, nothing may skip it
        inner = parents[inner]
        if not isinstance(inner, ast.Tuple | ast.List | ast.Call | ast.keyword):
            return False
    function = source.names.definition_around(node)
    if not isinstance(function, Function) or depth > 4:
        return False
    if not isinstance(statement, ast.Return):
        around = [*source.names.around(statement)]
        around = around[: around.index(function) + 1]
        after = _after(around, statement)
        later = {one for part in after for one in ast.walk(part) if isinstance(one, ast.stmt)}
        returns = [one for one in later if isinstance(one, ast.Return)]
        if not returns or any(isinstance(one, ast.For | ast.While) for one in around):
            return False
        if any(not _returns(trial, one, node, later, index) for one in returns):
            return False
    if function in entries:
        return True
    calls = trial.flow.calls(function)
    return bool(calls) and all(
        is_always_returned(trial, call.node, index, entries, depth + 1) for call in calls
    )


def _after(around: Sequence[ast.AST], statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements that may run after a statement, in what is around it."""
    node: ast.AST = statement
    for parent in around:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and node in block:
                yield from block[block.index(node) + 1 :]
        node = parent


def _returns(
    trial: Trial, statement: ast.Return, made: ast.expr, later: set[ast.stmt], index: int
) -> bool:
    """Whether a statement returns what was made, and nothing that was bound after it."""
    if statement.value is None:
        return False
    flow = trial.flow
    origins = [
        origin
        for path in ((), (index,))
        for origin in flow.origins(statement.value, path)
        if not isinstance(origin.node, ast.Tuple)
    ]
    if not any(origin.node is made for origin in origins):
        return False
    names_read = [one for one in ast.walk(statement.value) if isinstance(one, ast.Name)]
    bindings = [binding for name in names_read for binding in flow.bindings(name)]
    of_made = [one for one in bindings if one.value is not None and made in ast.walk(one.value)]
    names_made = {one.name for one in of_made}
    return not any(
        one.name in names_made and one not in of_made and one.statement in later for one in bindings
    )
