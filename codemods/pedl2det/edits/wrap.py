"""Break edited lines that are longer than the longest line of their file."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

#: One line after another is broken; a statement with more is left long.
_MOST = 12


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
    bare = statement.with_changes(leading_lines=[])
    for _ in range(_MOST):
        text = module.with_changes(body=[bare]).code
        number = _too_long(text, width - indent, old)
        if number is None:
            break
        changed = _broken(text, number, module)
        if changed is None:
            break
        bare = changed
    return bare.with_changes(leading_lines=statement.leading_lines)


def _too_long(text: str, width: int, old: Set[str]) -> int | None:
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("  #")[0].rstrip()
        if len(code) > width and line.strip() not in old:
            return number
    return None


def _broken(text: str, number: int, module: cst.Module) -> Any:
    """The statement with the outermost call on a line broken; None if there is no such call."""
    tree = cst.parse_module(text, config=module.config_for_parsing)
    wrapper = MetadataWrapper(tree, unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    finder = _Finder(positions, number)
    wrapper.module.visit(finder)
    if finder.found is None:
        return None
    broken: Any = wrapper.module.visit(_Breaker(finder.found))
    return broken.body[0]


class _Finder(cst.CSTVisitor):
    """Finds the first call, from outside to inside, that stands on one line."""

    def __init__(self, positions: Any, number: int) -> None:
        super().__init__()
        self._positions = positions
        self._number = number
        self.found: cst.Call | None = None

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        """Leave f-strings whole: Python 3.11 allows no line break in them."""
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        place = self._positions[node]
        inside = self._positions[node.args[0]].start.line if node.args else 0
        if self.found is None and inside == self._number == place.end.line:
            self.found = node
        return self.found is None


class _Breaker(cst.CSTTransformer):
    def __init__(self, chosen: cst.Call) -> None:
        super().__init__()
        self._chosen = chosen

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Give each argument a line of its own."""
        if original_node is not self._chosen:
            return updated_node
        inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
        outer = cst.ParenthesizedWhitespace(indent=True)
        args = [
            one.with_changes(comma=cst.Comma(whitespace_after=inner)) for one in updated_node.args
        ]
        if updated_node.args[-1].star:  # old Pythons allow no comma after **kwargs
            last = args[-1].with_changes(
                comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=outer
            )
        else:
            last = args[-1].with_changes(comma=cst.Comma(whitespace_after=outer))
        return updated_node.with_changes(args=[*args[:-1], last], whitespace_before_args=inner)
