"""Edits of statements, made in one pass over the libcst tree of a sketch."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from pedl2det.edit.making import Edit
from pedl2det.edit.sketch import Sketch
from pedl2det.edit.splices import UNREADABLE
from pedl2det.facts.source import NEWLINE
from pedl2det.findings import NoPlace

DEFINITIONS: dict[type[ast.stmt], type[cst.CSTNode]] = {
    ast.FunctionDef: cst.FunctionDef,
    ast.AsyncFunctionDef: cst.FunctionDef,
    ast.ClassDef: cst.ClassDef,
}
COMPOUND: dict[type[ast.stmt], type[cst.CSTNode]] = {
    **DEFINITIONS,
    ast.For: cst.For,
    ast.If: cst.If,
    ast.Match: cst.Match,
    ast.Try: cst.Try,
    ast.TryStar: cst.TryStar,
    ast.While: cst.While,
    ast.With: cst.With,
}
_STATEMENTS = {cst.SimpleStatementLine, *COMPOUND.values()}
#: What statements stand in.
_CLAUSES = {cst.Module, cst.IndentedBlock, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler}
_CLAUSES |= {cst.Finally, cst.MatchCase, *COMPOUND.values()}


def read_sketch(drawn: Sketch) -> tuple[cst.Module, Mapping[cst.CSTNode, int]]:
    """The libcst tree of a sketch and the lines on which its statements begin.

    Raises:
        NoPlace: libcst cannot read it, or would lose a comment that is indented oddly.
    """
    try:
        module = cst.parse_module(drawn.text)
    except cst.ParserSyntaxError as error:
        raise NoPlace(drawn.line_in_file(error.raw_line), UNREADABLE) from None
    written = Written.of(module)
    code = written.text
    if code != drawn.text:
        both = zip(code.splitlines(), drawn.text.splitlines(), strict=False)
        same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
        message = "the layout cannot be kept from here on: indent these lines like the code"
        raise NoPlace(drawn.line_in_file(same + 1), message)
    return module, written.lines


_NOTHING = nullcontext()


class Written(CodegenState):
    """The text of a tree, and where its statements begin in it."""

    def __init__(self, default_indent: str, default_newline: str) -> None:
        super().__init__(default_indent, default_newline)
        self._starts: dict[cst.CSTNode, int] = {}  # how many tokens stand before

    @classmethod
    def of(cls, module: cst.Module) -> Written:
        """What a module is written as."""
        written = cls(module.default_indent, module.default_newline)
        module._codegen(written)
        return written

    @property
    def text(self) -> str:
        """The text."""
        return "".join(self.tokens)

    def record_syntactic_position(  # type: ignore[override]
        self, node: cst.CSTNode, **_ends: cst.CSTNode | None
    ) -> nullcontext[None]:
        """Called with each statement before it is written."""
        if type(node) in _STATEMENTS:
            self._starts[node] = len(self.tokens)
        return _NOTHING

    @property
    def lines(self) -> dict[cst.CSTNode, int]:
        """The line of each statement, from 1."""
        found, at, line = {}, 0, 1
        for node, start in self._starts.items():
            line += len(NEWLINE.findall("".join(self.tokens[at:start])))
            found[node], at = line, start
        return found


class Applying(cst.CSTTransformer):
    """Makes the edits of statements, the inner ones first.

    Args:
        places: the lines on which statements begin.
        statements: the edits by kind and line; what was made is taken out.
    """

    def __init__(
        self,
        places: Mapping[cst.CSTNode, int],
        statements: dict[tuple[type[cst.CSTNode], int], list[Edit]],
    ) -> None:
        super().__init__()
        self._places = places
        self.statements = statements

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Whether statements stand in a node."""
        return type(node) in _CLAUSES

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """What becomes of a node."""
        kind = type(original_node)
        if kind not in _STATEMENTS:
            return updated_node
        line = self._places[original_node]
        edits = self.statements.pop((kind, line), [])
        if edits and kind is cst.SimpleStatementLine and len(original_node.body) > 1:
            raise NoPlace(line)
        for edit in edits:
            updated_node = edit(updated_node)
        return updated_node
