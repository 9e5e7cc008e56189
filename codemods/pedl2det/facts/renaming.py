"""How a file says a new dotted name in place of an old one, in the manner of its imports."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pedl2det.facts.source import Source
from pedl2det.tables.legacy import ROOT

#: Old modules and the new ones in which their names are found.
MODULES = {
    "pedl.frameworks.keras": "determined.keras",
    "pedl.frameworks.keras.tf_keras_trial": "determined.keras",
}


@dataclass(frozen=True)
class Renamed:
    """A new name in one file.

    Attributes:
        text: the expression.
        statement: the import that it needs.
    """

    text: str
    statement: str


def renamed(source: Source, node: ast.expr, target: str) -> Renamed:
    """The expression for ``target`` where ``node`` stands.

    ``keras.TFKerasTrial`` stays ``keras....`` if ``keras`` was imported, ``import pedl`` becomes
    the full dotted name, an imported class is imported from its new module.
    """
    module, _, name = target.rpartition(".")
    if isinstance(node, ast.Name):
        meaning = source.names.qualified(node) or ""
        is_alias = node.id != meaning.rpartition(".")[2]
        if is_alias or (name != node.id and source.names.uses_name(source.tree, name)):
            return Renamed(node.id, f"from {module} import {name} as {node.id}")
        return Renamed(name, f"from {module} import {name}")
    base = node
    while isinstance(base, ast.Attribute):
        base = base.value
    assert isinstance(base, ast.Name)
    alias, bound = base.id, source.names.qualified(base) or ROOT
    new_module = MODULES.get(bound)
    if new_module is None or not target.startswith(f"{new_module}."):
        return Renamed(target, "import determined.keras")
    parent, _, leaf = new_module.rpartition(".")
    statement = f"import {new_module} as {alias}"
    if parent and leaf == alias:
        statement = f"from {parent} import {leaf}"
    return Renamed(alias + target.removeprefix(new_module), statement)
