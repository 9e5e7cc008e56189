"""Find the first statement of a module that reads a name while the module is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst


def first_read(body: Sequence[Any], name: str) -> int:
    """Return the index of the first statement that reads a name at once; else their number."""
    for index, statement in enumerate(body):
        finder = _Reads(name)
        statement.visit(finder)
        if finder.found:
            return index
    return len(body)


class _Reads(cst.CSTVisitor):
    """Looks for a name in code that runs at once, which the bodies of functions do not."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.found = False

    def visit_Import(self, node: cst.Import) -> bool:
        """Leave imports out: they bind names."""
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        """Leave imports out: they bind names."""
        return False

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        """Look into the head of a function alone."""
        for part in (*node.decorators, node.params, node.returns):
            if part is not None:
                part.visit(self)
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        """Look at what an attribute is read from, not at its name."""
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        """Compare a name."""
        self.found = self.found or node.value == self._name
