"""Put the chosen branch in the place of an ``if`` whose test became constant through edits."""

from __future__ import annotations

from typing import Any

import libcst as cst


def branch(original: Any, updated: Any) -> list[Any] | None:
    """Return the statements of the chosen branch; None if nothing is to be chosen."""
    answer = _answer(original, updated)
    if answer is None:
        return None
    if answer:
        return _statements(updated.body)
    if isinstance(updated.orelse, cst.Else):
        return _statements(updated.orelse.body)
    return [updated.orelse] if updated.orelse is not None else []


def with_settled_elif(original: Any, updated: Any) -> Any:
    """Return an ``if`` without an ``elif`` whose test became constant."""
    inner = updated.orelse
    if not isinstance(inner, cst.If):
        return updated
    answer = _answer(original.orelse, inner)
    if answer is None:
        return updated
    chosen = inner.orelse
    if answer:
        chosen = cst.Else(inner.body, leading_lines=inner.leading_lines)
    return updated.with_changes(orelse=chosen)


def ends(statement: Any) -> bool:
    """Whether nothing behind a statement of a block is reached."""
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[-1], cst.Return | cst.Raise
    )


def _answer(original: Any, updated: Any) -> bool | None:
    """What a test became; None where it is no constant, was one, or comments would be lost."""
    if not isinstance(updated, cst.If) or _constant(original.test) is not None:
        return None
    bodies = [updated.body, getattr(updated.orelse, "body", None)]
    blocks = [one for one in bodies if isinstance(one, cst.IndentedBlock)]
    if any(one.header.comment or any(line.comment for line in one.footer) for one in blocks):
        return None
    return _constant(updated.test)


def _constant(test: Any) -> bool | None:
    is_constant = isinstance(test, cst.Name) and test.value in ("True", "False")
    return test.value == "True" if is_constant else None


def _statements(body: Any) -> list[Any]:
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    return [cst.SimpleStatementLine(body.body)]
