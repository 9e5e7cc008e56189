"""Break edited lines that are longer than the longest line of their file."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

#: One line after another is broken; a statement with more is left long.
_MOST = 12
#: Arguments of fewer columns stay where they are.
_SHORT = 12
_NOTHING = cst.SimpleWhitespace("")


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
        text = module.code_for_node(bare)
        number = _too_long(text, width - indent, old)
        if number is None:
            break
        changed = _broken(text, number, width - indent, module)
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


def _broken(text: str, number: int, width: int, module: cst.Module) -> Any:
    """The statement with the outermost brackets on a line broken; None if there are none.

    All arguments stay on one line of their own if they fit there.
    """
    tree = cst.parse_module(text, config=module.config_for_parsing)
    wrapper = MetadataWrapper(tree, unsafe_skip_copy=True)
    positions = wrapper.resolve(PositionProvider)
    finder = _Finder(positions, number)
    wrapper.module.visit(finder)
    if finder.found is None:
        return None
    line = text.splitlines()[number - 1]
    base = line[: len(line) - len(line.lstrip())]
    unit = "\t" if module.default_indent == "\t" else "    "
    made: Any = None
    found = finder.found
    starts_above = isinstance(found, cst.Call) and "\n" in module.code_for_node(found).split("(")[1]
    base = base.removesuffix(unit) if starts_above else base
    is_one = isinstance(found, cst.Call) and len(found.args) == 1
    for one_each in (True,) if starts_above else (False,) if is_one else (False, True):
        made = wrapper.module.visit(_Breaker(found, base, unit, one_each))
        if all(len(new) <= width for new in made.code.splitlines()[number - 1 :][:3]):
            break
    return made.body[0]


class _Finder(cst.CSTVisitor):
    """Finds the first call or bare tuple, from outside to inside, that stands on one line."""

    def __init__(self, positions: Any, number: int) -> None:
        super().__init__()
        self._positions = positions
        self._number = number
        self.found: cst.BaseExpression | None = None
        self._values: list[cst.BaseExpression | None] = []

    def visit_FormattedString(self, node: cst.FormattedString) -> bool:
        """Leave f-strings whole: Python 3.11 allows no line break in them."""
        return False

    def visit_Tuple(self, node: cst.Tuple | cst.List) -> bool:
        """Choose a tuple or list that is the whole value of a statement."""
        values = [one.value for one in node.elements]
        if node in self._values and self._is_on_line(values):
            self.found = self.found or node
        return self.found is None

    visit_List = visit_Tuple  # noqa: N815

    def visit_IfExp(self, node: cst.IfExp) -> bool:
        """Choose a conditional expression that is the whole value of a statement."""
        if node in self._values and self._is_on_line([node.body, node.orelse]) and not node.lpar:
            self.found = self.found or node
        return self.found is None

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        """Leave most lambdas whole: a break within them reads worse than a long line."""
        self._values.append(node.body)
        return isinstance(node.body, cst.Call | cst.Tuple)

    def visit_Dict(self, node: cst.Dict) -> bool:
        """Choose a dict that nothing longer is around on the line."""
        if self._is_on_line(node.elements):
            self.found = self.found or node
        return self.found is None

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        """Choose a comprehension that nothing longer is around on the line."""
        if self._is_on_line([node]):
            self.found = self.found or node
        return self.found is None

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        """Choose a generator that is alone on the line."""
        if self._is_on_line([node.elt, node.for_in]) and not node.lpar:
            self.found = self.found or node
        return self.found is None

    def visit_Return(self, node: cst.Return) -> None:
        """Remember the value of a statement."""
        self._values.append(node.value)

    def visit_Assign(self, node: cst.Assign) -> None:
        """Remember the value of a statement."""
        self._values.append(node.value)

    def visit_Call(self, node: cst.Call) -> bool:
        """Choose a call whose arguments all stand on the line and are worth a line."""
        is_open = self._positions[node.func].end.line < self._number
        is_done = is_open and len(node.args) == 1  # stands on a line of its own
        if self._is_on_line(node.args) and not self._is_short(node) and not is_done:
            self.found = self.found or node
        return self.found is None

    def _is_on_line(self, parts: Sequence[cst.CSTNode]) -> bool:
        places = [self._positions[one] for one in parts]
        return bool(places) and places[0].start.line == self._number == places[-1].end.line

    def _is_short(self, node: cst.Call) -> bool:
        first, last = self._positions[node.args[0]], self._positions[node.args[-1]]
        return bool(last.end.column - first.start.column < _SHORT)


class _Breaker(cst.CSTTransformer):
    def __init__(self, chosen: Any, base: str, unit: str, one_each: bool) -> None:
        super().__init__()
        self._chosen = chosen
        self._one_each = one_each
        self._inner = cst.ParenthesizedWhitespace(
            indent=True, last_line=cst.SimpleWhitespace(base + unit)
        )
        self._outer = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(base))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        """Put the arguments on lines of their own."""
        if original_node is not self._chosen:
            return updated_node
        tight = cst.SimpleWhitespace("")
        args = self._apart(
            [one.with_changes(whitespace_after_arg=tight) for one in updated_node.args]
        )
        last_arg = updated_node.args[-1]
        takes_none = last_arg.star or isinstance(last_arg.value, cst.GeneratorExp)
        if not self._one_each or takes_none:  # no comma after **kwargs
            last = args[-1].with_changes(
                comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=self._outer
            )
            args = [*args[:-1], last]
        return updated_node.with_changes(args=args, whitespace_before_args=self._inner)

    def leave_GeneratorExp(
        self, original_node: cst.GeneratorExp, updated_node: cst.GeneratorExp
    ) -> cst.GeneratorExp:
        """Put the clauses on a line of their own."""
        if original_node is not self._chosen:
            return updated_node
        clauses = updated_node.for_in.with_changes(whitespace_before=self._outer)
        return updated_node.with_changes(for_in=clauses)

    def leave_ListComp(
        self, original_node: cst.ListComp, updated_node: cst.ListComp
    ) -> cst.ListComp:
        """Put the element and each clause on lines of their own."""
        if original_node is not self._chosen:
            return updated_node
        return updated_node.with_changes(
            lbracket=cst.LeftSquareBracket(self._inner),
            for_in=updated_node.for_in.with_changes(whitespace_before=self._inner),
            rbracket=cst.RightSquareBracket(self._outer),
        )

    def _closed(self, elements: Sequence[Any], bracket: Any) -> tuple[list[Any], Any]:
        """Elements on lines of their own, and the bracket behind them."""
        apart = self._apart(elements)
        if self._one_each:
            return apart, bracket()
        last = apart[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return [*apart[:-1], last], bracket(self._outer)

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        """Put the elements on lines of their own, in parentheses."""
        if original_node is not self._chosen:
            return updated_node
        elements, right = self._closed(updated_node.elements, cst.RightParen)
        left = cst.LeftParen(self._inner)
        return updated_node.with_changes(elements=elements, lpar=[left], rpar=[right])

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.List:
        """Put the elements on lines of their own."""
        if original_node is not self._chosen:
            return updated_node
        elements, right = self._closed(updated_node.elements, cst.RightSquareBracket)
        left = cst.LeftSquareBracket(self._inner)
        return updated_node.with_changes(elements=elements, lbracket=left, rbracket=right)

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:
        """Put the pairs on lines of their own."""
        if original_node is not self._chosen:
            return updated_node
        elements, right = self._closed(updated_node.elements, cst.RightCurlyBrace)
        left = cst.LeftCurlyBrace(self._inner)
        return updated_node.with_changes(elements=elements, lbrace=left, rbrace=right)

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.IfExp:
        """Put the value and each clause on lines of their own, in parentheses."""
        if original_node is not self._chosen:
            return updated_node
        return updated_node.with_changes(
            whitespace_before_if=self._inner,
            whitespace_before_else=self._inner,
            lpar=[cst.LeftParen(self._inner)],
            rpar=[cst.RightParen(self._outer)],
        )

    def _apart(self, parts: Any) -> list[Any]:
        """Arguments or elements with the white space between them."""
        between = self._inner if self._one_each else cst.SimpleWhitespace(" ")
        if isinstance(parts[-1], cst.Arg):  # the line break in front of an old bracket
            parts = [*parts[:-1], parts[-1].with_changes(whitespace_after_arg=_NOTHING)]
        spaced = [one.with_changes(comma=cst.Comma(whitespace_after=between)) for one in parts]
        last = spaced[-1].with_changes(comma=cst.Comma(whitespace_after=self._outer))
        if isinstance(last, cst.Arg):  # the comma has the line break
            last = last.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
        return [*spaced[:-1], last]
