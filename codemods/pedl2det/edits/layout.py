"""Small changes of layout: lines of their own, blank lines, quotes, parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import libcst as cst


def on_lines(body: Sequence[Any]) -> list[cst.SimpleStatementLine]:
    """Return small statements on lines of their own."""
    bare = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for one in body]
    return [cst.SimpleStatementLine([one]) for one in bare]


def as_block(body: Any) -> Any:
    """Return the body of a compound statement as an indented block."""
    is_suite = isinstance(body, cst.SimpleStatementSuite)
    return cst.IndentedBlock(on_lines(body.body)) if is_suite else body


def spaced(statement: Any, blank: int) -> Any:
    """Return a statement with some blank lines above it and its comments."""
    lines = list(statement.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *lines])


def with_comments(statement: Any, text: str) -> Any:
    """Return a statement with comments above it."""
    comments = [cst.EmptyLine(comment=cst.Comment(f"# {line}")) for line in text.splitlines()]
    return statement.with_changes(leading_lines=[*statement.leading_lines, *comments])


def without_parentheses(original: cst.Return, updated: cst.Return) -> cst.Return:
    """Return ``return a, b`` where a tuple is new, or became short enough for one line."""
    value = updated.value
    if not isinstance(value, cst.Tuple) or len(value.elements) < 2:
        return updated
    if not isinstance(original.value, cst.Tuple):
        return updated.with_changes(value=value.with_changes(lpar=[], rpar=[]))
    has_comments = "#" in cst.Module([]).code_for_node(value)
    if _is_short(original.value) or not _is_short(value) or has_comments:
        return updated
    elements = [cst.Element(one.value) for one in value.elements]
    return updated.with_changes(value=cst.Tuple(elements, lpar=[], rpar=[]))


def _is_short(value: cst.Tuple) -> bool:
    return all(isinstance(one.value, cst.Name) for one in value.elements)


def with_other_quotes(string: cst.FormattedString) -> Any:
    """Return an f-string whose inner strings have other quotes, as before Python 3.12."""
    return string.visit(_OtherQuotes(string.quote))


class _OtherQuotes(cst.CSTTransformer):
    def __init__(self, quote: str) -> None:
        super().__init__()
        self._quote = quote

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        """Change the quotes of a string, if none are in it."""
        other = "'" if self._quote == '"' else '"'
        plain = updated_node.raw_value
        if updated_node.quote != self._quote or other in plain or "\\" in plain:
            return updated_node
        return cst.SimpleString(f"{updated_node.prefix}{other}{plain}{other}")


class Opened(cst.CSTTransformer):
    """Puts a value that spans lines on lines of its own within the call that it is given to."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self._value = value

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Break the call that has the value as its only argument."""
        args = original_node.args
        if len(args) != 1 or not args[0].value.deep_equals(self._value):
            return updated_node
        inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
        outer = cst.ParenthesizedWhitespace(indent=True)
        argument = updated_node.args[0].with_changes(whitespace_after_arg=outer)
        return updated_node.with_changes(args=[argument], whitespace_before_args=inner)


class OpenSignature(cst.CSTTransformer):
    """Makes the type comments of a function whose parameters changed say nothing of them."""

    def leave_Comment(self, original_node: cst.Comment, updated_node: cst.Comment) -> cst.Comment:
        """Change a type comment of a signature."""
        value = re.sub(r"# type: \(.*\) -> (.+)", r"# type: (...) -> \1", updated_node.value)
        return updated_node.with_changes(value=value)


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
