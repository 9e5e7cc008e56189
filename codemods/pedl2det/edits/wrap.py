"""Break edited lines that are longer than the longest line of their file."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from pedl2det.analysis.source import lines_of

#: One line after another is broken; a statement with more is left long.
_MOST = 12
#: Arguments of fewer columns stay where they are.
_SHORT = 12


@dataclass(frozen=True)
class _Parts:
    """Parts of an expression that can stand on lines of their own.

    Attributes:
        codes: the code of each part.
        start: the character behind the bracket in front of them.
        end: the character of the bracket behind them.
        closing: what is behind the last part, if each has a line.
        separator: what is between two parts on one line.
        brackets: the brackets to write, where the text has none.
    """

    codes: list[str]
    start: int
    end: int
    closing: str = ","
    separator: str = ", "
    brackets: tuple[str, str] = ("", "")


def wrapped(statement: Any, width: int, indent: int, module: cst.Module, old: Set[str]) -> Any:
    """The statement with one argument a line in each call that makes a line too long.

    Args:
        statement: a line of simple statements; blocks are left as they are.
        width: the number of columns that fit.
        indent: the number of columns in front of the statement.
        module: the module, for its style.
        old: the lines of the old file without their indentation, which stay as long as they are.
    """
    if not isinstance(statement, cst.SimpleStatementLine):
        return statement
    text = before = module.code_for_node(statement.with_changes(leading_lines=[]))
    for _ in range(_MOST):
        number = _too_long(text, width - indent, old)
        changed = _broken(text, number, width - indent, module) if number is not None else None
        if changed is None:
            break
        text = changed
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


def _broken(text: str, number: int, width: int, module: cst.Module) -> str | None:
    """The text with the outermost brackets on a line broken; None if there are none.

    All parts stay on one line of their own if they fit there.
    """
    parts = next(_on_line(text, number), None)
    if parts is None:
        return None
    line = lines_of(text)[number - 1]
    base = line[: len(line) - len(line.lstrip())]
    unit = "\t" if module.default_indent == "\t" else "    "
    is_open = "\n" in text[parts.start : text.index(parts.codes[0], parts.start)]
    base = module.default_newline + (base.removesuffix(unit) if is_open else base)
    made = ""
    each = (True,) if is_open else (False, True)
    for one_each in each[:1] if len(parts.codes) == 1 else each:
        between = parts.separator.rstrip() + base + unit if one_each else parts.separator
        inner = base + unit + between.join(parts.codes) + (parts.closing if one_each else "") + base
        inner = parts.brackets[0] + inner + parts.brackets[1]
        made = text[: parts.start] + inner + text[parts.end :]
        if all(len(new.rstrip()) <= width for new in lines_of(made)[number - 1 :][:3]):
            break
    return made


def _on_line(text: str, number: int) -> Iterator[_Parts]:
    """The expressions that can be broken on a line, from outside to inside."""
    lines = lines_of(text)
    starts = [0, *itertools.accumulate(map(len, lines))]

    def at(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def start(node: Any) -> int:
        return at(node.lineno, node.col_offset)

    def end(node: Any) -> int:
        return at(node.end_lineno, node.end_col_offset)

    def items(nodes: Sequence[Any], first: int, last: int) -> Iterator[_Parts]:
        """The parts of a list between two brackets, if they stand on the line alone."""
        commas = [
            text.index(",", end(one), start(other)) for one, other in itertools.pairwise(nodes)
        ]
        is_here = bool(nodes) and nodes[0].lineno == number == nodes[-1].end_lineno
        tail = text[end(nodes[-1]) : last] if is_here else ""
        if is_here and "#" not in text[first : start(nodes[0])] + tail:
            edges = [first - 1, *commas, last]
            codes = [text[one + 1 : other].strip() for one, other in itertools.pairwise(edges)]
            codes[-1] = codes[-1].removesuffix(",")
            is_last = codes[-1].startswith("*") or isinstance(nodes[-1], ast.GeneratorExp)
            yield _Parts(codes, first, last, "" if is_last else ",")

    def clauses(node: ast.ListComp | ast.GeneratorExp) -> _Parts:
        first, last, way = start(node) + 1, end(node) - 1, text.index(" for ", end(node.elt))
        return _Parts([text[first:way].strip(), text[way:last].strip()], first, last, "", " ")

    def below(node: Any, is_value: bool) -> Iterator[_Parts]:
        match node:
            case ast.JoinedStr():  # Python 3.11 allows no line break in it
                return
            case ast.Lambda(body=body) if not isinstance(body, ast.Call | ast.Tuple):
                return  # a break within it reads worse than a long line
            case ast.Call(args=[ast.GeneratorExp() as made]) if (
                made.lineno == made.end_lineno == number
            ):
                yield clauses(made)
            case ast.Call(func=func):
                nodes = sorted([*node.args, *node.keywords], key=start)
                is_done = (func.end_lineno or 0) < number and len(nodes) == 1
                is_short = bool(nodes) and end(nodes[-1]) - start(nodes[0]) < _SHORT
                if not is_done and not is_short:
                    yield from items(nodes, text.index("(", end(func)) + 1, end(node) - 1)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                nodes = [_between(key or value, value) for key, value in pairs]
                yield from items(nodes, start(node) + 1, end(node) - 1)
            case ast.List(elts=elts) if is_value:
                yield from items(elts, start(node) + 1, end(node) - 1)
            case ast.Tuple(elts=elts) if is_value and elts:
                is_bare = not _is_list(text[start(node) : end(node)])
                for one in items(elts, start(node) + (not is_bare), end(node) - (not is_bare)):
                    yield replace(one, brackets=("(", ")")) if is_bare else one
            case ast.ListComp() if node.lineno == number == node.end_lineno:
                yield clauses(node)
            case ast.IfExp() if is_value and node.lineno == number == node.end_lineno:
                way = text.index("if", end(node.body))
                other = text.rindex("else", 0, start(node.orelse))
                codes = [text[start(node) : way], text[way:other], text[other : end(node)]]
                codes = [code.strip() for code in codes]
                if not text[: start(node)].endswith("("):
                    yield _Parts(codes, start(node), end(node), "", " ", ("(", ")"))
        for child in ast.iter_child_nodes(node):
            is_statement = isinstance(node, ast.Assign | ast.Return | ast.Lambda)
            yield from below(child, is_statement and isinstance(child, ast.expr))

    yield from below(ast.parse(text), False)


def _between(first: ast.expr, last: ast.expr) -> ast.Constant:
    """A node in the place of two."""
    node = ast.copy_location(ast.Constant(None), first)
    node.end_lineno, node.end_col_offset = last.end_lineno, last.end_col_offset
    return node


def _is_list(code: str) -> bool:
    """Whether code is a tuple in parentheses, not one whose first and last element are."""
    try:
        ast.parse(f"[{code[1:-1]}]")
    except SyntaxError:
        return False
    return code.startswith("(")
