"""Apply declarative edits to one file with libcst.

Inner nodes are edited before outer ones. A hole of a template takes the edited form of its node,
so that edits nest; what no hole keeps goes, together with the edits inside of it.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from pedl2det import fixes as fx
from pedl2det.analysis.source import Source
from pedl2det.edits import arguments, parameters, settled, templates
from pedl2det.edits.comments import is_gone, keep_comments, settle, without_blank
from pedl2det.edits.locate import Locator
from pedl2det.edits.type_comments import with_type_comment
from pedl2det.edits.wrap import wrapped


class Overlap(Exception):  # noqa: N818 - describes the edits; a defect of ours
    """Two edits replace the same place."""


def apply(source: Source, edits: Iterable[fx.Edit], context: dict[ast.AST, str]) -> str:
    """The new text of a file; see :func:`applied`."""
    return applied(source, edits, context).code


def applied(source: Source, edits: Iterable[fx.Edit], context: dict[ast.AST, str]) -> cst.Module:
    """The new tree of a file.

    Args:
        source: the file.
        edits: its edits; an edit inside of a replaced place that no hole keeps has no effect.
        context: the expression of the trial's context for each edit's node that asks for it.

    Raises:
        Overlap: two edits replace the same node.
        NotLocated: a node has no place of its own in the file.
    """
    locator = Locator(source)
    applier = _Applier(source, locator, context)
    for edit in edits:
        applier.take(edit)
    applier.find_way()
    changed: cst.Module = locator.module.visit(applier)
    return changed


@functools.cache
def _is_line(kind: type[cst.CSTNode]) -> bool:
    """Whether nodes of a type are statements on lines of their own."""
    return issubclass(kind, cst.SimpleStatementLine | cst.BaseCompoundStatement)


class _Applier(cst.CSTTransformer):
    """Edits nodes on the way up, so that holes find what became of their nodes."""

    def __init__(self, source: Source, locator: Locator, context: dict[ast.AST, str]) -> None:
        super().__init__()
        self._source = source
        self._locator = locator
        self._context = context
        self._config = locator.module.config_for_parsing
        self._width = max([88, *map(len, source.lines)])
        self._old_lines = frozenset(line.strip() for line in source.lines)
        #: The edits of each libcst node, and what became of the nodes of holes.
        self._edits: dict[cst.CSTNode, list[fx.Edit]] = defaultdict(list)
        self._wanted: set[cst.CSTNode] = set()
        self._became: dict[cst.CSTNode, cst.CSTNode] = {}
        self._extracted: dict[ast.expr, Any] = {}
        self._dropped: set[cst.CSTNode] = set()
        self._renamed: dict[cst.CSTNode, str] = {}
        self._ways: set[cst.CSTNode] = set()
        self._touched: list[bool] = []
        self._elifs: set[Any] = set()
        #: Statements that end a branch which was chosen: nothing behind them is reached.
        self._ends: set[Any] = set()
        self._appended: list[str] = []

    # Before the walk: file each edit under the node that it changes.

    def take(self, edit: fx.Edit) -> None:
        """Take an edit in."""
        for hole in getattr(edit, "holes", {}).values():
            self._wanted.add(self._locator.expression(hole))
        match edit:
            case fx.Replace(node):
                self._file(self._locator.expression(node), edit)
            case fx.Extract(node, statement):
                self._file(self._locator.expression(node), edit)
                self._file(self._locator.statement(statement), edit)
            case fx.RenameKeyword(node, name):
                self._renamed[self._locator.argument(node)] = name
            case fx.DropArgument(_, node):
                self._dropped.add(self._locator.argument(node))
            case fx.DropParameter(_, node):
                self._dropped.add(self._locator.parameter(node))
            case fx.AddArgument(call):
                self._file(self._locator.expression(call), edit)
            case fx.AddParameter(ast.Lambda() as function):
                self._file(self._locator.expression(function), edit)
            case fx.AddParameter(function) | fx.DropDecorator(function):
                assert not isinstance(function, ast.Lambda)
                self._file(self._locator.statement(function), edit)
            case fx.AppendCode(code=code):
                self._appended.append(code)
            case fx.Annotate(function):
                self._file(self._locator.statement(function), edit)
            case _:
                self._file(self._locator.statement(edit.node), edit)

    def _file(self, node: cst.CSTNode, edit: fx.Edit) -> None:
        known = self._edits[node]
        whole = (fx.Replace, fx.ReplaceStatement)
        if isinstance(edit, whole) and not _wraps(edit):
            others = [one for one in known if isinstance(one, whole) and not _wraps(one)]
            if edit in others:
                return
            if others:
                raise Overlap(f"{self._source.path}:{edit.node.lineno}: two fixes replace this")
        if edit not in known:
            known.append(edit)

    def find_way(self) -> None:
        """Find where the edits are; the walk leaves everything else out."""
        marked = {*self._edits, *self._wanted, *self._dropped, *self._renamed}
        self._ways = self._locator.ways(marked)

    # On the way up.

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Go into nodes with edits only; remember whether something below a statement is edited."""
        if _is_line(type(node)):
            self._touched.append(False)
        if isinstance(node, cst.If):
            self._elifs.add(node.orelse)
        if isinstance(node, cst.Parameters):
            # What only parts parameters goes with those that it parts.
            star, slash = node.star_arg, node.posonly_ind
            if isinstance(star, cst.ParamStar) and self._dropped.issuperset(node.kwonly_params):
                self._dropped.add(star)
            if isinstance(slash, cst.ParamSlash) and self._dropped.issuperset(node.posonly_params):
                self._dropped.add(slash)
        return node in self._ways or isinstance(node, cst.Module)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Edit a node; its children are edited already."""
        updated = updated_node
        edits = self._edits.get(original_node, [])
        if original_node in self._dropped:
            self._touch()
            return cst.RemoveFromParent()
        if original_node in self._renamed:
            self._touch()
            updated = _with_keyword(updated, self._renamed[original_node])
        if isinstance(updated, cst.Call):
            updated = arguments.without_stray_comma(original_node, updated)
        if isinstance(updated, cst.Parameters):
            updated = parameters.without_stray_comma(original_node, updated)
        if isinstance(updated, cst.Lambda) and original_node.params.params:
            updated = parameters.closed_up(updated)
        if isinstance(updated, cst.FormattedString) and updated is not original_node:
            updated = updated.visit(_OtherQuotes(updated))
        if isinstance(updated, cst.BaseExpression):
            for edit in sorted(edits, key=_order):
                self._touch()
                updated = self._expression(edit, updated)
            if original_node in self._wanted:
                self._became.setdefault(original_node, updated)
            return updated
        if isinstance(original_node, cst.Return):
            return _without_parentheses(original_node, updated)
        if isinstance(original_node, cst.SimpleStatementLine):
            return self._line(original_node, updated, self._touched.pop())
        if isinstance(original_node, cst.SimpleStatementSuite):
            return self._suite(original_node, updated)
        if isinstance(original_node, cst.BaseCompoundStatement):
            return self._compound(original_node, updated, edits, self._touched.pop())
        if isinstance(original_node, cst.IndentedBlock):
            return self._block(updated)
        if isinstance(original_node, cst.Module):
            return self._module(updated)
        return updated

    def _touch(self) -> None:
        if self._touched:
            self._touched[-1] = True

    # Expressions.

    def _expression(self, edit: fx.Edit, updated: Any) -> Any:
        match edit:
            case fx.Extract(node, name=name):
                self._extracted[node] = updated
                return cst.Name(name)
            case fx.Replace(node, code):
                inner = self._locator.expression(node)
                self._became[inner] = updated  # a hole may hold the node itself
                made = templates.expression(code, self._holes(edit), self._config)
                del self._became[inner]
                return templates.in_place(made, self._source.names.parents.get(node), node)
            case fx.AddArgument(code=code, first=first):
                call = templates.expression(f"f({code})", self._holes(edit), self._config)
                return arguments.with_argument(updated, call.args[0], first)
            case fx.AddParameter(code=code):
                return updated.with_changes(
                    params=parameters.with_parameter(updated.params, code, False)
                )
        raise AssertionError(edit)

    def _holes(self, edit: Any) -> dict[str, Any]:
        holes: dict[str, Any] = {}
        for name, node in edit.holes.items():
            located = self._locator.expression(node)
            if located not in self._became:  # it stands behind this place
                located.visit(self)
            holes[name] = self._became.get(located, located)
        if fx.CONTEXT in edit.code:
            holes["context"] = self._context[_place(edit)]
        return holes

    # Statements.

    def _line(self, original: Any, updated: Any, touched: bool) -> Any:
        """A line of simple statements, which edits may turn into several lines."""
        mine = [self._edits.get(small, []) for small in original.body]
        if not any(mine):
            bare = updated.with_changes(leading_lines=[])
            return self._finished(original, self._apart(original, bare)) if touched else updated
        lines: list[Any] = []
        for small, edits in zip(updated.body, mine, strict=True):
            bare = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            lines += self._around(original, cst.SimpleStatementLine([bare]), edits)
        return self._finished(original, lines)

    def _apart(self, original: Any, line: Any) -> list[Any]:
        """``a; b`` on two lines, if an edit made the line too long."""
        width = self._width - self._locator.column(original)
        if len(line.body) == 1 or len(self._locator.module.code_for_node(line).rstrip()) <= width:
            return [line]
        apart = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for one in line.body]
        first = [cst.SimpleStatementLine([one]) for one in apart[:-1]]
        return [*first, line.with_changes(body=apart[-1:])]

    def _finished(self, original: Any, lines: list[Any]) -> Any:
        """Lines in the place of one, with its comments and within the file's width."""
        lines = self._fitted(original, lines)
        lines = keep_comments(original, lines, text=self._locator.text(original))
        return cst.FlattenSentinel(lines) if len(lines) != 1 else lines[0]

    def _fitted(self, original: Any, lines: list[Any]) -> list[Any]:
        """Lines within the width of the file."""
        indent = self._locator.column(original)
        module = self._locator.module
        return [wrapped(line, self._width, indent, module, self._old_lines) for line in lines]

    def _around(self, original: Any, statement: Any, edits: Sequence[fx.Edit]) -> list[Any]:
        """A statement with what is inserted before and after it, or what replaces it."""
        before: list[Any] = []
        after: list[Any] = []
        here = [statement]
        for edit in edits:
            match edit:
                case fx.InsertBefore(code=code):
                    before += self._statements(code, self._holes(edit), edit)
                case fx.Extract(node, code=code):
                    value = self._extracted[node]
                    made = self._statements(code, {"value": value}, edit)
                    if "\n" in self._locator.module.code_for_node(value):
                        made = [one.visit(_Opened(value)) for one in made]
                    before += made
                case fx.InsertAfter(code=code):
                    after += self._statements(code, self._holes(edit), edit)
                case fx.ReplaceStatement(code=code):
                    here = self._statements(code, self._holes(edit), edit) if code else []
                case fx.Mark(text=text):
                    here[:1] = [_marked(here[0], text)] if here else []
        if before and here and isinstance(here[0], cst.FunctionDef | cst.ClassDef):
            here[0] = _spaced(here[0], 2 if self._locator.column(original) == 0 else 1)
        return [*before, *here, *after]

    def _suite(self, original: Any, updated: Any) -> Any:
        """``if x: a; b``, written as a block where an edit needs lines."""
        mine = [self._edits.get(small, []) for small in original.body]
        if not any(mine):
            return updated
        lines: list[Any] = []
        for small, edits in zip(updated.body, mine, strict=True):
            bare = small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
            lines += self._around(original, cst.SimpleStatementLine([bare]), edits)
        return cst.IndentedBlock(lines or [_pass()], header=updated.trailing_whitespace)

    def _compound(self, original: Any, updated: Any, edits: list[fx.Edit], touched: bool) -> Any:
        """A block statement with its edits; one that lost its body gets ``pass``."""
        for edit in edits:
            updated = self._definition(edit, updated)
        if isinstance(updated, cst.If):
            updated = settled.with_settled_elif(original, updated)
        if original in self._elifs or not (touched or edits):
            return updated
        chosen = settled.branch(original, updated)
        if chosen is not None:
            self._ends |= {one.body[-1] for one in chosen if settled.ends(one)}
            lines = keep_comments(original, self._fitted(original, chosen), head_only=True)
            return cst.FlattenSentinel(lines) if len(lines) != 1 else lines[0]
        if isinstance(updated, cst.FunctionDef):
            updated = with_type_comment(original, parameters.closed_up(updated))
            updated = self._unfolded(original, updated)
        lines = self._around(original, updated.with_changes(leading_lines=[]), edits)
        lines = self._fitted(original, lines)
        lines = keep_comments(original, lines, True, self._locator.text(original))
        return cst.FlattenSentinel(lines) if len(lines) != 1 else lines[0]

    def _unfolded(self, original: Any, updated: Any) -> Any:
        """``def f(): return x`` on two lines, if an edit made the line too long."""
        if not isinstance(updated.body, cst.SimpleStatementSuite):
            return updated
        text = self._locator.module.code_for_node(updated.with_changes(leading_lines=[]))
        width = self._width - self._locator.column(original)
        if all(len(line) <= width for line in text.splitlines()):
            return updated
        header = updated.body.trailing_whitespace
        return updated.with_changes(body=_block(updated.body).with_changes(header=header))

    def _block(self, updated: Any) -> Any:
        """A block without deleted statements; an empty one gets ``pass``."""
        body, comments = settle(self._reached(updated.body))
        if body == list(updated.body):
            return updated
        footer = [*comments, *updated.footer]
        return updated.with_changes(body=body or [_pass()], footer=footer)

    def _reached(self, body: Sequence[Any]) -> Sequence[Any]:
        """The statements of a block that come before the end of a branch that was chosen."""
        for at, one in enumerate(body):
            if isinstance(one, cst.SimpleStatementLine) and self._ends.intersection(one.body):
                return body[: at + 1]
        return body

    def _module(self, updated: Any) -> Any:
        """The module without deleted statements, with appended code."""
        body, comments = settle(updated.body)
        for code in self._appended:
            body += self._statements(code, {}, None, blank=2)
        if body and is_gone(updated.body[0]) and not updated.header:
            body[0] = body[0].with_changes(leading_lines=without_blank(body[0].leading_lines))
        return updated.with_changes(body=body, footer=[*comments, *updated.footer])

    def _definition(self, edit: fx.Edit, updated: Any) -> Any:
        """A function or class with an edit of its head, its members or its first lines."""
        match edit:
            case fx.AddParameter(function, code):
                method = isinstance(self._source.names.parents.get(function), ast.ClassDef)
                static = any(
                    isinstance(one, ast.Name) and one.id == "staticmethod"
                    for one in getattr(function, "decorator_list", ())
                )
                params = parameters.with_parameter(updated.params, code, method and not static)
                updated = updated.with_changes(params=params)
                if len(params.params) == 1 and params.star_arg is cst.MaybeSentinel.DEFAULT:
                    tight = cst.SimpleWhitespace("")
                    updated = updated.with_changes(whitespace_before_params=tight)
                return updated
            case fx.Annotate(code=code):
                made = cst.Annotation(cst.parse_expression(code)) if code else None
                return updated.with_changes(returns=made)
            case fx.RenameFunction(name=name):
                return updated.with_changes(name=cst.Name(name))
            case fx.DropDecorator(node=node):
                gone = self._locator.expression(node)
                kept = [
                    one
                    for one in updated.decorators
                    if one.decorator is not gone and not one.decorator.deep_equals(gone)
                ]
                return updated.with_changes(decorators=kept)
            case fx.InsertFirst(code=code):
                block = _block(updated.body)
                at = _after_docstring(block.body)
                new = self._statements(code, self._holes(edit), edit)
                kept = [one for one in block.body if not _is_pass(one)]
                body = [*kept[:at], *new, *kept[at:]]
                return updated.with_changes(body=block.with_changes(body=body))
            case fx.AddMember(code=code, first=first):
                return self._with_members(edit, updated, code, first)
        return updated

    def _with_members(self, edit: fx.Edit, updated: Any, code: str, first: bool) -> Any:
        block = _block(updated.body)
        new = self._statements(code, {}, edit)
        kept = [one for one in block.body if not _is_pass(one)]
        if not first:
            members = [_spaced(one, 1) for one in new]
            if not kept:
                members[0] = _spaced(members[0], 0)
            return updated.with_changes(body=block.with_changes(body=[*kept, *members]))
        at = _after_docstring(kept)
        # Attributes of the class stay above its first method.
        while at < len(kept) and isinstance(kept[at], cst.SimpleStatementLine):
            at += 1
        members = [_spaced(one, 1) for one in new]
        if at == 0:
            members[0] = _spaced(members[0], 0)
        rest = [_spaced(one, 1) if number == 0 else one for number, one in enumerate(kept[at:])]
        return updated.with_changes(body=block.with_changes(body=[*kept[:at], *members, *rest]))

    def _statements(
        self, code: str, holes: dict[str, Any], edit: fx.Edit | None, blank: int = 0
    ) -> list[Any]:
        if "{context}" in code and edit is not None:
            holes = {**holes, "context": self._context[_place(edit)]}
        made = list(templates.statements(code, holes, self._config))
        if blank and made:
            made = [_spaced(one, blank) for one in made]
        return made


class _OtherQuotes(cst.CSTTransformer):
    """Gives strings in an f-string other quotes than its own: before Python 3.12 it must be so."""

    def __init__(self, around: cst.FormattedString) -> None:
        super().__init__()
        self._quote = around.quote

    def leave_SimpleString(
        self,
        original_node: cst.SimpleString,
        updated_node: cst.SimpleString,
    ) -> cst.SimpleString:
        """Change the quotes of a string, if none are in it."""
        other = "'" if self._quote == '"' else '"'
        plain = updated_node.raw_value
        if updated_node.quote != self._quote or other in plain or "\\" in plain:
            return updated_node
        return cst.SimpleString(f"{updated_node.prefix}{other}{plain}{other}")


class _Opened(cst.CSTTransformer):
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


def _wraps(edit: Any) -> bool:
    """Whether a replacement keeps the whole expression."""
    return edit.node in getattr(edit, "holes", {}).values()


def _order(edit: fx.Edit) -> int:
    """Parts of an expression are edited before it is replaced, wrapped and moved."""
    if isinstance(edit, fx.Replace):
        return 2 if _wraps(edit) else 1
    return 3 if isinstance(edit, fx.Extract) else 0


def _place(edit: Any) -> ast.AST:
    return edit.call if isinstance(edit, fx.AddArgument) else edit.node


def _with_keyword(argument: cst.Arg, name: str) -> cst.Arg:
    if argument.keyword is not None:
        return argument.with_changes(keyword=cst.Name(name))
    tight = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return argument.with_changes(keyword=cst.Name(name), equal=tight)


def _without_parentheses(original: Any, updated: Any) -> Any:
    """``return a, b`` where a tuple has taken the place of something else."""
    value = updated.value
    is_new = isinstance(value, cst.Tuple) and not isinstance(original.value, cst.Tuple)
    if not is_new or len(value.elements) < 2:
        return updated
    return updated.with_changes(value=value.with_changes(lpar=[], rpar=[]))


def _block(body: Any) -> Any:
    if isinstance(body, cst.SimpleStatementSuite):
        bare = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for one in body.body]
        return cst.IndentedBlock([cst.SimpleStatementLine([one]) for one in bare])
    return body


def _after_docstring(body: Sequence[Any]) -> int:
    if body and isinstance(body[0], cst.SimpleStatementLine):
        first = body[0].body[0]
        if isinstance(first, cst.Expr) and isinstance(
            first.value, cst.SimpleString | cst.ConcatenatedString
        ):
            return 1
    return 0


def _pass() -> cst.SimpleStatementLine:
    return cst.SimpleStatementLine([cst.Pass()])


def _is_pass(line: Any) -> bool:
    return (
        isinstance(line, cst.SimpleStatementLine)
        and len(line.body) == 1
        and isinstance(line.body[0], cst.Pass)
        and not line.leading_lines
    )


def _spaced(statement: Any, blank: int) -> Any:
    """A statement with at least some blank lines above it."""
    lines = list(statement.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * blank, *lines])


def _marked(statement: Any, text: str) -> Any:
    comments = [cst.EmptyLine(comment=cst.Comment(f"# {line}")) for line in text.splitlines()]
    return statement.with_changes(leading_lines=[*statement.leading_lines, *comments])
