"""Add statements and members to the body of a function or class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edits.layout import as_block, spaced


def with_first(function: Any, new: Sequence[Any]) -> Any:
    """Return a function with statements at its start, after the docstring."""
    body = _body(function)
    at = _after_docstring(body)
    return _with_body(function, [*body[:at], *new, *body[at:]])


def with_members(owner: Any, new: Sequence[Any], first: bool) -> Any:
    """Return a class with members before its first method, or after its last member."""
    kept = _body(owner)
    at = len(kept)
    if first:  # attributes of the class stay above its first method
        at = _after_docstring(kept)
        while at < len(kept) and isinstance(kept[at], cst.SimpleStatementLine):
            at += 1
    members = [spaced(one, 1) for one in new]
    if at == 0:
        members[0] = spaced(members[0], 0)
    rest = [spaced(one, 1) for one in kept[at : at + 1]] + kept[at + 1 :]
    return _with_body(owner, [*kept[:at], *members, *rest])


def _body(definition: Any) -> list[Any]:
    """The statements of a definition without a bare ``pass``."""
    return [one for one in as_block(definition.body).body if not _is_pass(one)]


def _with_body(definition: Any, body: Sequence[Any]) -> Any:
    return definition.with_changes(body=as_block(definition.body).with_changes(body=body))


def _after_docstring(body: Sequence[Any]) -> int:
    match body:
        case [cst.SimpleStatementLine(body=[cst.Expr(value=value), *_]), *_]:
            return int(isinstance(value, cst.SimpleString | cst.ConcatenatedString))
    return 0


def _is_pass(line: Any) -> bool:
    match line:
        case cst.SimpleStatementLine(body=[cst.Pass()]):
            return not line.leading_lines
    return False
