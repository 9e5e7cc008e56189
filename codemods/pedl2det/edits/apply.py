"""Apply declarative edits to one file with libcst.

Inner nodes are edited before outer ones. A hole of a template takes the edited form of its node,
so that edits nest; what no hole keeps is dropped, together with the edits in it.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from pedl2det import fixes as fx
from pedl2det.analysis.flow.values import has_decorator
from pedl2det.analysis.source import Source
from pedl2det.edits import layout, templates
from pedl2det.edits.comments import keep_comments, settled
from pedl2det.edits.locate import Locator, is_of

_TIGHT = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


class Overlap(Exception):  # noqa: N818 - describes the edits; a defect of pedl2det
    """Two edits replace the same place."""


def apply(source: Source, edits: Iterable[fx.Edit], context: dict[ast.AST, str]) -> str:
    """Return the new text of a file.

    An edit inside of a replaced place that no hole keeps has no effect. ``context`` maps the node
    of each edit that needs the context to the code that reads it.

    Raises:
        Overlap: two edits replace the same node.
        NotLocated: a node has no libcst node.
    """
    locator, edits = Locator(source), [*edits]
    code = locator.module.visit(_Applier(source, locator, edits, context)).code
    if any(isinstance(edit, fx.AddParameter | fx.Drop) for edit in edits):
        code = re.sub(r"# type: \(.*\) -> ", "# type: (...) -> ", code)  # of signatures
    return code


class _Applier(templates.Transformer):
    """Edits nodes on the way up, so that holes find what became of their nodes."""

    def __init__(
        self,
        source: Source,
        locator: Locator,
        edits: Iterable[fx.Edit],
        context: dict[ast.AST, str],
    ) -> None:
        super().__init__()
        self._source = source
        self._locator = locator
        self._context = context
        self._config = locator.module.config_for_parsing
        self._width = max([88, *map(len, source.lines)])
        self._old_lines = frozenset(line.strip() for line in source.lines)
        self._edits: dict[cst.CSTNode, list[fx.Edit]] = defaultdict(list)
        #: The nodes of holes, and the edited form of each.
        self._hole_nodes: set[cst.CSTNode] = set()
        self._became: dict[cst.CSTNode, cst.CSTNode] = {}
        self._extracted: dict[ast.expr, Any] = {}
        self._dropped: set[cst.CSTNode] = set()
        self._renamed: dict[cst.CSTNode, str] = {}
        self._touched: list[bool] = []
        self._elifs: set[Any] = set()
        for edit in edits:
            for hole in getattr(edit, "holes", {}).values():
                self._hole_nodes.add(self._locator.node(hole))
            match edit:
                case fx.RenameKeyword(node, name):
                    self._renamed[self._locator.argument(node)] = name
                case fx.Drop(node):
                    self._dropped.add(self._locator.part(node))
                case _:
                    self._register(self._locator.node(edit.node), edit)
            if isinstance(edit, fx.Extract):
                self._register(self._locator.node(edit.statement), edit)
        marked = {*self._edits, *self._hole_nodes, *self._dropped, *self._renamed}
        self._visited = locator.with_ancestors(marked)  # the walk skips everything else

    def _register(self, node: cst.CSTNode, edit: fx.Edit) -> None:
        """Keep an edit under the node that it changes; refuse a second replacement."""
        known = self._edits[node]
        whole = (fx.Replace, fx.ReplaceStatement)
        if isinstance(edit, whole) and not _wraps(edit):
            others = [other for other in known if isinstance(other, whole) and not _wraps(other)]
            if edit in others:
                return
            if others:
                raise Overlap(f"{self._source.path}:{edit.node.lineno}: two fixes replace this")
        if edit not in known:
            known.append(edit)

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Visit only nodes with edits; track for each statement whether it is edited."""
        if node not in self._visited:
            return False
        if is_of(type(node), (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            self._touched.append(False)
        match node:
            case cst.If(orelse=orelse):
                self._elifs.add(orelse)
            case cst.Parameters(star_arg=cst.ParamStar() as star, kwonly_params=parted):
                self._dropped |= {star} if self._dropped.issuperset(parted) else set()
        return True

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Edit a node; its children are edited already."""
        if original_node in self._dropped:
            self._touch()
            return cst.RemoveFromParent()
        if original_node not in self._visited:
            return updated_node
        updated = _tidy(original_node, updated_node)
        if original_node in self._renamed:
            self._touch()
            equal = _TIGHT if updated.keyword is None else updated.equal
            name = cst.Name(self._renamed[original_node])
            updated = updated.with_changes(keyword=name, equal=equal)
        if isinstance(updated, cst.BaseExpression):
            return self._edited(original_node, updated)
        match original_node:
            case cst.SimpleStatementLine():
                return self._line(original_node, updated, self._touched.pop())
            case cst.SimpleStatementSuite():
                return self._suite(original_node, updated)
            case cst.BaseCompoundStatement():
                return self._compound(original_node, updated, self._touched.pop())
            case cst.IndentedBlock() | cst.Module():
                return settled(updated)
        return updated

    def _touch(self) -> None:
        if self._touched:
            self._touched[-1] = True

    def _edited(self, original: Any, updated: Any) -> Any:
        for edit in sorted(self._edits.get(original, ()), key=_order):
            self._touch()
            updated = self._expression(edit, updated)
        if original in self._hole_nodes:
            self._became.setdefault(original, updated)
        return updated

    def _expression(self, edit: fx.Edit, updated: Any) -> Any:
        match edit:
            case fx.Extract(node, name=name):
                self._extracted[node] = updated
                return cst.Name(name)
            case fx.Replace(node, code):
                inner = self._locator.node(node)
                self._became[inner] = updated  # a hole may hold the node itself
                replacement = templates.expression(code, self._holes(edit), self._config)
                del self._became[inner]
                return templates.in_place(replacement, self._source.names.parents.get(node), node)
            case fx.AddArgument(code=code, first=first):
                call = templates.expression(f"f({code})", self._holes(edit), self._config)
                return layout.with_argument(updated, call.args[0], first)
        raise AssertionError(edit)

    def _holes(self, edit: Any) -> dict[str, Any]:
        holes: dict[str, Any] = {}
        for name, node in getattr(edit, "holes", {}).items():
            located = self._locator.node(node)
            if located not in self._became:  # it comes later in the text
                located.visit(self)
            holes[name] = self._became.get(located, located)
        if fx.CONTEXT in edit.code:
            holes["context"] = self._context[edit.node]
        return holes

    def _line(self, original: Any, updated: Any, touched: bool) -> Any:
        """A line of simple statements, which edits may turn into several lines."""
        if any(small in self._edits for small in original.body):
            return self._finished(original, self._edit_each(original, updated))
        bare = updated.with_changes(leading_lines=[])
        return self._finished(original, [bare]) if touched else updated

    def _edit_each(self, original: Any, updated: Any) -> list[Any]:
        """The lines that replace the small statements of a line."""
        pairs = zip(original.body, layout.on_lines(updated.body), strict=True)
        return [
            new
            for small, line in pairs
            for new in self._around(original, line, self._edits.get(small, []))
        ]

    def _finished(self, original: Any, lines: list[Any], head_only: bool = False) -> Any:
        """The lines that replace a line, with its comments, wrapped to the file's width."""
        indent, module = self._locator.column(original), self._locator.module
        lines = [
            part
            for line in lines
            for part in layout.wrapped(line, self._width, indent, module, self._old_lines)
        ]
        lines = keep_comments(original, lines, head_only, self._locator.text(original))
        return cst.FlattenSentinel(lines) if len(lines) != 1 else lines[0]

    def _around(self, original: Any, statement: Any, edits: Sequence[fx.Edit]) -> list[Any]:
        """A statement with what is inserted before and after it, or what replaces it."""
        before: list[Any] = []
        after: list[Any] = []
        lines = [statement]
        indent, module = self._locator.column(original), self._locator.module
        for edit in edits:
            match edit:
                case fx.InsertBefore():
                    before += self._statements(edit)
                case fx.Extract(node):
                    value = self._extracted[node]
                    new = self._statements(edit, value=value)
                    if "\n" in module.code_for_node(value):
                        new = [*layout.reformatted(new[0], self._width - indent, module)]
                    before += new
                case fx.InsertAfter():
                    after += self._statements(edit)
                case fx.ReplaceStatement(code=code):
                    lines = self._statements(edit) if code else []
                case fx.Mark(text=text):
                    lines[:1] = [layout.with_comments(lines[0], text)] if lines else []
        if before and lines and isinstance(lines[0], cst.FunctionDef | cst.ClassDef):
            lines[0] = layout.spaced(lines[0], 2 if indent == 0 else 1)
        return [*before, *lines, *after]

    def _suite(self, original: Any, updated: Any) -> Any:
        """``if x: a; b``, turned into a block if an edit needs several lines."""
        if not any(small in self._edits for small in original.body):
            return updated
        lines = self._edit_each(original, updated)
        return cst.IndentedBlock(
            lines or [cst.SimpleStatementLine([cst.Pass()])], header=updated.trailing_whitespace
        )

    def _compound(self, original: Any, updated: Any, touched: bool) -> Any:
        """A block statement with its edits."""
        edits = self._edits.get(original, [])
        for edit in edits:
            updated = self._definition(edit, updated)
        if touched and original in self._elifs:
            self._touch()
        if not (touched or edits):
            return updated
        if isinstance(updated, cst.FunctionDef) and not updated.params.children:
            no_space = cst.SimpleWhitespace("")  # where parameters were
            updated = updated.with_changes(whitespace_before_params=no_space)
        lines = self._around(original, updated.with_changes(leading_lines=[]), edits)
        return self._finished(original, lines, head_only=True)

    def _definition(self, edit: fx.Edit, updated: Any) -> Any:
        """A function or class with an edit of its head, its members or its first lines."""
        match edit:
            case fx.AddParameter(function, code):
                in_class = isinstance(self._source.names.parents.get(function), ast.ClassDef)
                is_method = in_class and not has_decorator(function, "staticmethod")
                return layout.with_parameter(updated, code, int(is_method))  # after `self`
            case fx.RenameFunction(name=name):
                return updated.with_changes(name=cst.Name(name))
            case fx.InsertFirst():
                return layout.with_first(updated, self._statements(edit))
            case fx.AddMember(first=first):
                return layout.with_members(updated, self._statements(edit), first)
        return updated

    def _statements(self, edit: Any, **holes: Any) -> list[Any]:
        return list(templates.statements(edit.code, self._holes(edit) | holes, self._config))


def _wraps(edit: Any) -> bool:
    """Whether a replacement keeps the whole expression."""
    return edit.node in getattr(edit, "holes", {}).values()


def _order(edit: fx.Edit) -> int:
    """Parts of an expression are edited before it is replaced, wrapped and moved."""
    if isinstance(edit, fx.Replace):
        return 2 if _wraps(edit) else 1
    return 3 if isinstance(edit, fx.Extract) else 0


def _tidy(original: Any, updated: Any) -> Any:
    """A node whose parts changed, without stray commas and with quotes that fit."""
    match updated:
        case cst.Call() | cst.Parameters():
            return layout.without_stray_comma(original, updated)
        case cst.FormattedString(start=start, end="'" | '"' as quote) if updated is not original:
            if quote in cst.Module([]).code_for_node(updated)[len(start) : -1]:
                return updated.with_changes(start=start + 2 * quote, end=3 * quote)
    return updated
