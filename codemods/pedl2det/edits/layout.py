"""Layout: small changes, long lines, and lists of arguments that keep their shape."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence, Set
from typing import Any

import libcst as cst

from pedl2det.analysis.source import lines_of
from pedl2det.edits import templates


def on_lines(body: Sequence[Any]) -> list[cst.SimpleStatementLine]:
    """Return small statements on lines of their own."""
    bare = [statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for statement in body]
    return [cst.SimpleStatementLine([statement]) for statement in bare]


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


def with_first(function: Any, new: Sequence[Any]) -> Any:
    """Return a function with statements at its start, after the docstring."""
    body = _body(function)
    at = _after_docstring(body)
    return _with_body(function, [*body[:at], *new, *body[at:]])


def with_members(owner: Any, new: Sequence[Any], first: bool) -> Any:
    """Return a class with members before its first method, or after its last member."""
    body = _body(owner)
    at = len(body)
    if first:  # attributes of the class stay above its first method
        at = _after_docstring(body)
        while at < len(body) and isinstance(body[at], cst.SimpleStatementLine):
            at += 1
    members = [spaced(member, 1) for member in new]
    if at == 0:
        members[0] = spaced(members[0], 0)
    rest = [spaced(member, 1) for member in body[at : at + 1]] + body[at + 1 :]
    return _with_body(owner, [*body[:at], *members, *rest])


def _body(definition: Any) -> list[Any]:
    """The statements of a definition without a bare ``pass``."""
    return [statement for statement in as_block(definition.body).body if not _is_pass(statement)]


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


def with_argument(call: Any, argument: cst.Arg, first: bool) -> Any:
    """A call with one more argument: the first, or the last."""
    plain = argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    args = [arg.with_changes(value=templates.in_parentheses(arg.value)) for arg in call.args]
    if first:
        return call.with_changes(args=[plain, *args])
    if args:
        args[-1], plain = _after(args[-1], plain, call.whitespace_before_args)
    return call.with_changes(args=[*args, plain])


def without_stray_comma(original: Any, updated: Any) -> Any:
    """A call or parameters, some of which were dropped, that end as they did before."""
    is_call = isinstance(updated, cst.Call)
    before, after = (
        node.args if is_call else [part for part in node.children if isinstance(part, cst.Param)]
        for node in (original, updated)
    )
    if len(after) == len(before) or not (after or is_call):
        return updated
    if not after:
        return updated.with_changes(whitespace_before_args=cst.SimpleWhitespace(""))
    space = "whitespace_after_arg" if is_call else "whitespace_after_param"
    ends = {name: getattr(before[-1], name) for name in ("comma", space)}
    return updated.with_deep_changes(after[-1], **ends)


def _after(last: cst.Arg, new: cst.Arg, between: Any) -> tuple[cst.Arg, cst.Arg]:
    """The last argument of a call and a new one after it, which takes over what follows."""
    new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    comma: Any = cst.MaybeSentinel.DEFAULT
    if isinstance(last.comma, cst.Comma):  # each argument has a line of its own
        is_tight = isinstance(between, cst.SimpleWhitespace) and not between.value
        comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" ") if is_tight else between)
    tight = cst.SimpleWhitespace("")
    return last.with_changes(comma=comma, whitespace_after_arg=tight), new


def with_parameter(function: Any, code: str, place: int) -> Any:
    """A function with a new parameter, in one of the first places."""
    definition: Any = cst.parse_statement(f"def f({code}): pass")
    new = definition.params.params[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    old = function.params
    kind = "posonly_params" if old.posonly_params else "params"
    names = list(getattr(old, kind))
    names.insert(place, new)
    changed = old.with_changes(**{kind: names})
    is_only = len(changed.params) == 1 and changed.star_arg is cst.MaybeSentinel.DEFAULT
    space = cst.SimpleWhitespace("") if is_only else function.whitespace_before_params
    return function.with_changes(params=changed, whitespace_before_params=space)


def wrapped(
    statement: Any, width: int, indent: int, module: cst.Module, old: Set[str]
) -> Sequence[Any]:
    """The statement as Black writes it, if a line of it is too long; several for ``a; b``.

    A block of several lines stays as it is, and so do the lines of the old file, which are ``old``
    without their indentation.
    """
    is_line = isinstance(statement, cst.SimpleStatementLine)
    if not (is_line or isinstance(statement.body, cst.SimpleStatementSuite)):
        return [statement]
    text = module.code_for_node(statement.with_changes(leading_lines=[]))
    if not any(
        len(line.partition("  #")[0].rstrip()) > width - indent and line.strip() not in old
        for line in lines_of(text)
    ):
        return [statement]
    return reformatted(statement, width - indent, module)


def reformatted(statement: Any, width: int, module: cst.Module) -> Sequence[Any]:
    """The statement as Black writes it, with the line ends and the indentation of its module."""
    bare = statement.with_changes(leading_lines=[])
    match statement.body:
        case [cst.Return(value=cst.Tuple(lpar=[]) as value)]:  # or Black breaks its last member
            value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            bare = bare.with_deep_changes(bare.body[0], value=value)
    text = formatted(module.code_for_node(bare).replace("\r\n", "\n"), width)
    if module.default_indent == "\t":
        text = re.sub(r"(?m)^(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text)
    text = text.replace("\n", module.default_newline)
    first, *rest = templates.statements(text, {}, module.config_for_parsing)
    return [first.with_changes(leading_lines=statement.leading_lines), *rest]


@functools.cache
def formatted(text: str, width: int) -> str:
    """Return a statement as Black writes it, with its own quotes."""
    import black  # for the few trials with long lines

    return black.format_str(text, mode=black.Mode(line_length=width, string_normalization=False))
