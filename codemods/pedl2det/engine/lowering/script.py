"""A script on its way to a trial: its text, and what has been found out about it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pedl2det import fixes as fx
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.engine.lowering.lowered import RULE, Facts
from pedl2det.engine.lowering.origins import origins
from pedl2det.findings import Finding, Kind


@dataclass(frozen=True)
class Script:
    """A script after some passes.

    Attributes:
        first: the script as it was read.
        source: its text now.
        facts: what is known beside it.
        findings: what there is to say, at lines of the first text.
        parameter: the name of the context in the script; empty if it has none.
        config: the experiment config that the script held.
    """

    first: Source
    source: Source
    facts: Facts
    findings: tuple[Finding, ...] = ()
    parameter: str = ""
    config: dict[str, object] | None = None

    def modules(self) -> Modules:
        """The project with the script's text as it is now."""
        return self.facts.modules(self.source)

    @cached_property
    def lines(self) -> tuple[int, ...]:
        """For each line, the line of the first text that it came from."""
        return origins(self.first.lines, self.source.lines)

    def saying(self, node: ast.AST, kind: Kind, message: str, help_: str = "") -> Script:
        """The script with one more thing to say, about a node of its text."""
        line = self.lines[getattr(node, "lineno", 1) - 1] if self.lines else 1
        code = self.first.lines[line - 1] if line <= len(self.first.lines) else ""
        said = Finding(kind, RULE, self.first.path, line, message, help_, code=code)
        return self if said in self.findings else replace(self, findings=(*self.findings, said))

    def marking(self, node: ast.AST, message: str, help_: str) -> tuple[Script, fx.Mark]:
        """The script with something that is left to a person, and the mark for its place."""
        statement = self.source.names.statement_of(node)
        mark = fx.Mark(statement, f"TODO(pedl2det {RULE}): {message}\n  {help_}")
        return self.saying(node, Kind.LEFT, message, help_), mark

    def edited(self, edits: Iterable[fx.Edit]) -> Script:
        """The script with some edits."""
        return self.rewritten(apply(self.source, edits, {}))

    def with_body(self, module: Any, body: Iterable[Any], **changes: Any) -> Script:
        """The script with other statements."""
        return self.rewritten(module.with_changes(body=list(body), **changes).code)

    def rewritten(self, text: str) -> Script:
        """The script with another text."""
        first = self.first
        return replace(self, source=Source.of(first.path, text, first.encoding, first.bom))

    def with_imports(self, *added: str) -> Script:
        """The script with some imports, and without those that only its first text used."""
        return self.rewritten(self.facts.with_imports(self.first.text, self.source.text, *added))
