"""A script on its way to a trial: its text, and what has been found out about it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.lowered import Facts
from pedl2det.engine.lowering.text import Text
from pedl2det.findings import Kind


@dataclass(frozen=True)
class Said:
    """Something to say about a line of the first text.

    Attributes:
        line: the line.
        kind: what it means for the user.
        message: what was found.
        help: the code to write.
    """

    line: int
    kind: Kind
    message: str
    help: str = ""


@dataclass(frozen=True)
class Script:
    """A script after some passes.

    Attributes:
        text: its text now.
        facts: what is known beside it.
        said: what there is to say.
        docstring: the docstring of the function that held the training, as it was written.
        parameter: the name of the context in the script; empty if it has none.
        config: the experiment config that the script held.
    """

    text: Text
    facts: Facts
    said: tuple[Said, ...] = ()
    docstring: str = ""
    parameter: str = ""
    config: dict[str, object] | None = None

    @property
    def source(self) -> Source:
        """The text with its tree."""
        return self.text.source

    def modules(self) -> Modules:
        """The project with the script's text as it is now."""
        return self.facts.modules(self.source)

    def saying(self, node: ast.AST, kind: Kind, message: str, help_: str = "") -> Script:
        """The script with one more thing to say, about a node of its text."""
        line = self.text.old_line(getattr(node, "lineno", 1))
        said = Said(line, kind, message, help_)
        return self if said in self.said else replace(self, said=(*self.said, said))
