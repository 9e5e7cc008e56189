"""Break an edited line that is longer than the longest line of its file."""

from __future__ import annotations

from typing import Any

import libcst as cst


def wrapped(statement: Any, width: int, module: cst.Module, indent: int = 0) -> Any:
    """The statement, with one argument a line in its outermost call if it is too long.

    Args:
        statement: a line of simple statements, or a block.
        width: the number of columns that fit.
        module: the module, for its indentation.
        indent: the number of columns in front of the statement.
    """
    if not isinstance(statement, cst.SimpleStatementLine):
        return statement
    text = module.code_for_node(statement.with_changes(leading_lines=[])).rstrip()
    if "\n" in text or indent + len(text) <= width:
        return statement
    breaker = _Breaker(module, width - indent)
    return statement.visit(breaker)


class _Breaker(cst.CSTTransformer):
    """Breaks the first call or list, from outside to inside, that holds something to break."""

    def __init__(self, module: cst.Module, width: int) -> None:
        super().__init__()
        self._module = module
        self._width = width
        self._chosen: cst.CSTNode | None = None

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        """Leave f-strings whole: Python 3.11 allows no line break in them."""
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        if self._chosen is None and node.args:
            self._chosen = node
            return False
        return self._chosen is None

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if original_node is not self._chosen:
            return updated_node
        inner = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace("    "))
        outer = cst.ParenthesizedWhitespace(indent=True)
        args = [
            one.with_changes(comma=cst.Comma(whitespace_after=inner)) for one in updated_node.args
        ]
        args[-1] = args[-1].with_changes(comma=cst.Comma(whitespace_after=outer))
        # No comma after one argument, and after **kwargs, as black targets old Pythons.
        if updated_node.args[-1].star or len(args) == 1:
            args[-1] = args[-1].with_changes(
                comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=outer
            )
        return updated_node.with_changes(args=args, whitespace_before_args=inner)
