"""What the body of a function needs of its own file, where it is written into another one."""

from __future__ import annotations

import ast

from pedl2det.analysis.scopes import imported_as
from pedl2det.analysis.source import Source
from pedl2det.engine.lowering.fits import Fits
from pedl2det.engine.lowering.script import Script


def names_outside(
    fits: Fits, home: Source, function: ast.FunctionDef, script: Script
) -> tuple[tuple[str, ...], dict[str, str]] | None:
    """The imports for the names of another file, and the names that they get here."""
    if home is script.source:
        return (), {}
    for node in ast.walk(function):
        is_place = isinstance(node, ast.Name) and node.id in ("__file__", "__name__")
        if is_place or isinstance(node, ast.Global):
            return None
    imports: list[str] = []
    renames: dict[str, str] = {}
    module = fits.modules.name_of(home)
    wanted = {
        node.id
        for node in home.names.below(function)
        if isinstance(node, ast.Name) and home.names.binder(node) is home.tree
    }
    for name in sorted(wanted):
        line = _import_of(home, name, module)
        if line is None:
            return None
        statement, dotted = line
        bound = script.source.names.module_bindings(name)
        meanings = [script.source.names.follow(one) if one else one for one in bound]
        if bound and meanings != [fits.modules.home(home.tree).names.follow(dotted)]:
            renames[name] = f"{module.rpartition('.')[2]}_{name}"
            statement = f"{statement.partition(' as ')[0]} as {renames[name]}"
        if not bound or name in renames:
            imports.append(statement)
    return tuple(imports), renames


def _import_of(home: Source, name: str, module: str) -> tuple[str, str] | None:
    """The statement that imports a name of a file into another one, and what it means."""
    for node in home.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    if isinstance(node, ast.Import):
                        return ast.unparse(ast.Import([alias])), alias.name
                    if node.level:
                        return None
                    single = ast.ImportFrom(node.module, [alias], 0)
                    return ast.unparse(single), imported_as(node, alias)
    return f"from {module} import {name}", f"{module}.{name}"
