"""Have Black break edited statements with lines that are longer than the longest of their file."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Any

import libcst as cst

from pedl2det.analysis.source import lines_of


def wrapped(
    statement: Any, width: int, indent: int, module: cst.Module, old: Set[str]
) -> Sequence[Any]:
    """The statement as Black writes it, if a line of it is too long; several for ``a; b``.

    Args:
        statement: a line of simple statements, or a block on one line; others stay as they are.
        width: the number of columns that fit.
        indent: the number of columns in front of the statement.
        module: the module, for its style.
        old: the lines of the old file without their indentation, which stay as long as they are.
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
        text = re.sub(r"(?m)^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text)
    text = text.replace("\n", module.default_newline)
    first, *rest = cst.parse_module(text, config=module.config_for_parsing).body
    return [first.with_changes(leading_lines=statement.leading_lines), *rest]


def formatted(text: str, width: int) -> str:
    """Return a statement as Black writes it, with its own quotes."""
    import black  # for the few trials with long lines

    return black.format_str(text, mode=black.Mode(line_length=width, string_normalization=False))
