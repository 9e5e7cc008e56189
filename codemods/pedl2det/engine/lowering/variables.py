"""Names of a module as variables of a function: ``global`` in inner functions is ``nonlocal``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import libcst as cst

from pedl2det.engine.lowering.blocks import ancestors


def as_variables(line: Any, shared: Collection[str]) -> Any:
    """A statement of a module as one of a function.

    Args:
        line: the statement.
        shared: the names that stay names of the module, which the function declares global.
    """
    targets = _found(line, inner=False, shared=shared)
    if not targets:
        return line
    return line.visit(_Writer(shared, ancestors(line, targets), set(map(id, targets))))


def _found(node: Any, inner: bool, shared: Collection[str]) -> list[Any]:
    """The declarations and annotations that mean something else in a function."""
    if isinstance(node, cst.Global) and inner:
        return [] if any(one.name.value in shared for one in node.names) else [node]
    if isinstance(node, cst.AnnAssign) and not inner:
        is_shared = isinstance(node.target, cst.Name) and node.target.value in shared
        return [node] if is_shared and node.value is not None else []
    inner = inner or isinstance(node, cst.FunctionDef | cst.Lambda)
    if isinstance(node, cst.ClassDef) and not inner:
        return [found for child in node.body.children for found in _inside_class(child, shared)]
    return [found for child in node.children for found in _found(child, inner, shared)]


def _inside_class(node: Any, shared: Collection[str]) -> list[Any]:
    is_function = isinstance(node, cst.FunctionDef)
    return _found(node, True, shared) if is_function else []


class _Writer(cst.CSTTransformer):
    def __init__(self, shared: Collection[str], path: set[int], targets: set[int]) -> None:
        super().__init__()
        self._shared, self._path, self._targets = shared, path, targets

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Look only where something changes."""
        return id(node) in self._path

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        """Write ``nonlocal`` for ``global``, and no annotation for a global name."""
        if id(original_node) not in self._targets:
            return updated_node
        if isinstance(updated_node, cst.Global):
            return cst.Nonlocal(updated_node.names)
        return cst.Assign([cst.AssignTarget(updated_node.target)], updated_node.value)
