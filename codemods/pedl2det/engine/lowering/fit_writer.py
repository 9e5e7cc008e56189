"""The statement in which a script trains, with what the trial keeps in the place of ``fit``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import libcst as cst

from pedl2det.edits import templates
from pedl2det.edits.comments import keep_comments
from pedl2det.edits.wrap import wrapped
from pedl2det.engine.lowering.blocks import ancestors, todo
from pedl2det.engine.lowering.closures import Closures, rests
from pedl2det.engine.lowering.cutting import Parts
from pedl2det.engine.lowering.fit_call import FitCall
from pedl2det.engine.lowering.recording import Recorded
from pedl2det.engine.lowering.script import Script
from pedl2det.findings import Kind


class FitWriter:
    """Writes the statement.

    Args:
        script: the script.
        parts: its parts.
        fits: each call that trains, and what takes its place.
        trial: the name of the trial in its constructor.
        closures: writes what comes after the training within a block.
        has_history: whether the metrics are kept.
        keeps_name: whether they also keep the name that the script gave them.
    """

    def __init__(
        self,
        script: Script,
        parts: Parts,
        fits: Sequence[tuple[FitCall, Recorded]],
        trial: str,
        closures: Closures,
        has_history: bool,
        keeps_name: bool,
    ) -> None:
        self._script, self._parts, self._trial = script, parts, trial
        self._closures = closures
        self._has_history, self._keeps_name = has_history, keeps_name
        source = parts.locator.source
        self._config = parts.locator.module.config_for_parsing
        self._width = max([88, *map(len, source.lines)])
        self._old = frozenset(line.strip() for line in source.lines)
        self._records = {
            id(parts.locator.statement(source.names.statement_of(fit.call))): (fit, record)
            for fit, record in fits
        }
        self._nodes = {
            id(parts.locator.statement(node)): node
            for node in ast.walk(parts.fit.node)
            if isinstance(node, ast.stmt)
        }

    @staticmethod
    def has_rest(parts: Parts) -> bool:
        """Whether code follows the training within a block."""
        return bool(rests(parts))

    def written(self) -> list[Any]:
        """The statements in the place of the one that trained."""
        code = self._parts.fit.code
        if isinstance(code, cst.SimpleStatementLine):
            return self._recorded(code)
        return [self._compound(code)]

    def _compound(self, code: Any) -> Any:
        statements = [one for one in self._parts.locator.positions if id(one) in self._records]
        return code.visit(_Blocks(self, ancestors(code, statements)))

    def holds_fit(self, line: Any) -> bool:
        """Whether a line, or something in it, trains."""
        if isinstance(line, cst.SimpleStatementLine):
            return any(id(one) in self._records for one in line.body)
        finder = _Finder(self._records)
        line.visit(finder)
        return finder.found

    def block(self, original: Sequence[Any], updated: Sequence[Any]) -> list[Any]:
        """The lines of a block; those behind the training become a function."""
        found: list[Any] = []
        for number, (old, new) in enumerate(zip(original, updated, strict=True)):
            if not self.holds_fit(old):
                found.append(new)
                continue
            is_line = isinstance(old, cst.SimpleStatementLine)
            found += self._recorded(old) if is_line else [new]
            if original[number + 1 :]:
                nodes = [self._node(one) for one in original[number + 1 :]]
                found += self._closures.of(updated[number + 1 :], nodes)
            break
        return found

    def _node(self, line: Any) -> ast.stmt:
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
        return self._nodes[id(small)]

    def _recorded(self, line: Any) -> list[Any]:
        """What the trial keeps in the place of a line that trained."""
        small = line.body[0]
        _, record = self._records[id(small)]
        lines: list[Any] = []
        if self._has_history:
            lines += self._history(small)
        holes = {
            name: cst.parse_expression(given.code)
            if given.code
            else self._parts.locator.expression(given.node)
            for name, given in record.holes.items()
        }
        for code in record.lines:
            lines += self._statements(code, holes)
        lines = keep_comments(line, lines)
        for kind, message, help_ in record.said:
            if kind is Kind.LEFT:
                first = lines[0]
                leading = [*first.leading_lines, *todo(message, help_)]
                lines[0] = first.with_changes(leading_lines=leading)
        return lines

    def _history(self, small: Any) -> list[Any]:
        """What ``fit`` returned: a callback that keeps the metrics."""
        lines = self._statements("{trial}.history = legacy_keras.History()", {})
        targets = small.targets if isinstance(small, cst.Assign) else [small]
        for one in targets if isinstance(small, cst.Assign | cst.AnnAssign) else []:
            if self._keeps_name or not isinstance(one.target, cst.Name):
                lines += self._statements("{target} = {trial}.history", {"target": one.target})
        return lines

    def _statements(self, code: str, holes: dict[str, Any]) -> list[Any]:
        made = templates.statements(code, {**holes, "trial": self._trial}, self._config)
        module = self._parts.locator.module
        return [wrapped(one, self._width, 8, module, self._old) for one in made]


class _Blocks(cst.CSTTransformer):
    def __init__(self, writer: FitWriter, path: set[int]) -> None:
        super().__init__()
        self._writer = writer
        self._path = path

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look only where the model is trained."""
        return id(node) in self._path

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Write the lines of a block that trains."""
        if not isinstance(original_node, cst.IndentedBlock):
            return updated_node
        if not any(self._writer.holds_fit(one) for one in original_node.body):
            return updated_node
        return updated_node.with_changes(
            body=self._writer.block(original_node.body, updated_node.body)
        )


class _Finder(cst.CSTVisitor):
    def __init__(self, records: dict[int, Any]) -> None:
        super().__init__()
        self._records = records
        self.found = False

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look for statements that train."""
        self.found = self.found or id(node) in self._records
        return not self.found
