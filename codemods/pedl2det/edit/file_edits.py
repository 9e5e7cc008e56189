"""Edits of one file, gathered by place.

A rule names a node of the ``ast`` tree and gives a function from the libcst node that stands
there to what shall stand there. Inner nodes are edited before outer ones; several edits of one
node are made in the order in which they were asked for. An edit may look at what it edits, at the
imports of the module, and at what it asked to be shown; other code may be left out (``sketch``).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from pedl2det.edit.making import Edit
from pedl2det.edit.sketch import sketch
from pedl2det.edit.splices import expression_splices, spliced
from pedl2det.edit.statement_edits import COMPOUND, DEFINITIONS, Applying, Written, read_sketch
from pedl2det.facts.source import Source
from pedl2det.findings import NoPlace


@dataclass
class FileEdits:
    """What is to be changed in one file.

    Attributes:
        source: the file.
    """

    source: Source
    _expressions: dict[ast.expr, list[Edit]] = field(default_factory=dict)
    _statements: dict[tuple[type[cst.CSTNode], int], list[Edit]] = field(default_factory=dict)
    _moves: dict[tuple[type[cst.CSTNode], int], list[Edit]] = field(default_factory=dict)
    _module: list[Edit] = field(default_factory=list)
    _shown: set[int] = field(default_factory=set)
    _moved: list[ast.stmt] = field(default_factory=list)

    def expression(self, node: ast.expr, edit: Edit) -> None:
        """Edit a call, attribute, name, subscript or tuple."""
        self._expressions.setdefault(node, []).append(edit)

    def line(self, node: ast.stmt, edit: Edit) -> None:
        """Edit a simple statement: a ``SimpleStatementLine`` comes, one or several may go."""
        self._statements.setdefault((cst.SimpleStatementLine, node.lineno), []).append(edit)

    def definition(self, node: ast.FunctionDef | ast.ClassDef, edit: Edit) -> None:
        """Edit a function or class."""
        self._statements.setdefault((DEFINITIONS[type(node)], node.lineno), []).append(edit)

    def move(self, node: ast.stmt, edit: Edit) -> None:
        """Take a statement of any kind away, after all other edits of it; it comes edited."""
        kind = COMPOUND.get(type(node), cst.SimpleStatementLine)
        self._moves.setdefault((kind, node.lineno), []).append(edit)
        self._moved.append(node)

    def module(self, edit: Edit) -> None:
        """Edit the module."""
        self._module.append(edit)

    def show(self, node: ast.stmt) -> None:
        """Have the edits see a statement that is not edited itself."""
        self._shown.add(node.lineno)

    @property
    def size(self) -> int:
        """How many edits there are."""
        edits = (self._module, *self._expressions.values(), *self._statements.values())
        return sum(map(len, edits))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to change."""
        return not (self._expressions or self._statements or self._moves or self._module)

    def apply(self) -> str:
        """The new text.

        Raises:
            NoPlace: an edit's place is not a node of its own; no text is better than half of one.
        """
        text = self.source.text
        splices = expression_splices(self.source, self._expressions)
        if not (self._statements or self._moves or self._module):
            return spliced(text, splices, 0, len(text))
        statements = {
            key: [*self._statements.get(key, []), *self._moves.get(key, [])]
            for key in (*self._statements, *self._moves)
        }
        lines = {line for _, line in statements} | self._shown
        drawn = sketch(self.source, splices, lines, self._moved)
        module, starts = read_sketch(drawn)
        in_file = {drawn.lines[line]: line for line in lines}
        places = {node: in_file.get(line, 0) for node, line in starts.items()}
        applying = Applying(places, statements)
        result: Any = module.visit(applying)
        for _, line in applying.statements:
            raise NoPlace(line)
        for edit in self._module:
            result = edit(result)
        return drawn.restored(Written.of(result).text)
