"""Find the first statement of a module that reads a name while the module is imported."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from pedl2det.edits.locate import parts


def first_read(body: Sequence[cst.CSTNode], name: str) -> int:
    """Return the index of the first statement that reads a name at once; else their number."""
    return next((at for at, one in enumerate(body) if _reads(one, name)), len(body))


def _reads(node: cst.CSTNode, name: str) -> bool:
    """Whether code reads a name at once, which the bodies of functions do not."""
    if isinstance(node, cst.Name):
        return node.value == name
    if isinstance(node, cst.Param) and node.default is not None and _reads(node.default, name):
        return True
    later = node.body if isinstance(node, cst.FunctionDef) else None
    return any(_reads(one, name) for one in parts(node) if one is not later)
