"""Break edited lines that are longer than the longest line of their file."""

from __future__ import annotations

import ast
import io
import itertools
import tokenize
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from pedl2det.analysis.source import lines_of

#: One line after another is broken; a statement with more is left long.
_MOST = 12
#: Arguments of fewer columns stay where they are.
_SHORT = 12


def wrapped(statement: Any, width: int, indent: int, module: cst.Module, old: Set[str]) -> Any:
    """The statement with its arguments or elements below each line that is too long.

    Args:
        statement: a line of simple statements; blocks are left as they are.
        width: the number of columns that fit.
        indent: the number of columns in front of the statement.
        module: the module, for its style.
        old: the lines of the old file without their indentation, which stay as long as they are.
    """
    if not isinstance(statement, cst.SimpleStatementLine):
        return statement
    unit = "\t" if module.default_indent == "\t" else "    "
    text = before = module.code_for_node(statement.with_changes(leading_lines=[]))
    for _ in range(_MOST):
        number = _too_long(text, width - indent, old)
        broken = number and _broken(text, number, width - indent, unit, module.default_newline)
        if not broken:
            break
        text = broken
    if text == before:
        return statement
    new: Any = cst.parse_module(text, config=module.config_for_parsing).body[0]
    return new.with_changes(leading_lines=statement.leading_lines)


def _too_long(text: str, width: int, old: Set[str]) -> int | None:
    for number, line in enumerate(lines_of(text), 1):
        code = line.partition("  #")[0].rstrip()
        if len(code) > width and line.strip() not in old:
            return number
    return None


def _broken(text: str, number: int, width: int, unit: str, newline: str) -> str | None:
    """The text with the last brackets of a line broken; None if there are none.

    All parts stay on one line of their own if they fit there.
    """
    lines = lines_of(text)
    line = lines[number - 1]
    indent, length = len(line) - len(line.lstrip()), len(line.rstrip())
    base = newline + line[:indent]
    groups, commas = _brackets(text, number)
    parts = _split(line, indent, length, commas)
    if number > 1 and len(parts) > 1:  # several arguments below their call
        new = f"{line[:indent]}{f',{base}'.join(parts)},{line[length:]}"
    elif line.startswith("return ") and len(parts) > 1:
        parts[0] = parts[0].removeprefix("return ")
        new = f"return ({_inside(parts, base, unit, width)}){line[length:]}"
    elif groups:
        start, end = groups[-1].start, groups[-1].end
        parts = _split(line, start, end, groups[-1].cuts)
        new = line[:start] + _inside(parts, base, unit, width) + line[end:]
    else:
        return None
    made = "".join([*lines[: number - 1], new, *lines[number:]])
    return made if _is_same(text, made) else None


def _is_same(old: str, new: str) -> bool:
    try:
        return ast.dump(ast.parse(new)) == ast.dump(ast.parse(old))
    except SyntaxError:
        return False


def _inside(parts: list[str], base: str, unit: str, width: int) -> str:
    """Parts between brackets, on one line below them, or on a line each."""
    is_clause = len(parts) == 2 and parts[1].startswith("for ")
    comma = "" if is_clause else ","
    inner = f"{base}{unit}{f'{comma} '.join(parts)}"
    if len(inner.lstrip("\r\n")) > width and len(parts) > 1:
        last = "" if parts[-1].startswith("*") else comma
        inner = base + unit + f"{comma}{base}{unit}".join(parts) + last
    return inner + base


def _split(line: str, start: int, end: int, cuts: list[int]) -> list[str]:
    """The parts of a line between the places where it can be cut."""
    edges = [start, *cuts, end]
    parts = [line[one:other].strip(" ,\t") for one, other in itertools.pairwise(edges)]
    return [part for part in parts if part]


@dataclass
class _Bracket:
    """What is between two brackets of a line: where it starts, and where it can be cut."""

    start: int = 0
    end: int = 0
    cuts: list[int] = field(default_factory=list)
    clause: int = 0
    has_lambda: bool = False  #: whose commas part no arguments


def _brackets(text: str, number: int) -> tuple[list[_Bracket], list[int]]:
    """The outer brackets of a line, and the commas outside of all brackets."""
    stack = [_Bracket()]
    closed: list[tuple[int, _Bracket]] = []
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.start[0] != number or token.end[0] != number:
            continue
        is_sign = token.type == tokenize.OP
        if is_sign and token.string in "([{":
            stack.append(_Bracket(token.end[1]))
        elif is_sign and token.string in ")]}" and len(stack) > 1:
            done = stack.pop()
            done.end = token.start[1]
            if done.end - done.start > _SHORT:
                closed.append((len(stack), done))
        elif is_sign and token.string == ",":
            stack[-1].cuts.append(token.start[1])
        elif token.string == "lambda":
            stack[-1].has_lambda = True
        elif token.string == "for":
            stack[-1].clause = stack[-1].clause or token.start[1]
    for _, one in closed:
        one.cuts = [] if one.has_lambda else [one.clause] if one.clause else one.cuts
    outer = min((depth for depth, _ in closed), default=0)
    return [one for depth, one in closed if depth == outer], stack[0].cuts
