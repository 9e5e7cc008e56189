"""What ``__init__.py`` did when the old harness imported the package, beside naming things."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable

import pedl2det_names as names
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source

_ADDS_TO_PATH = re.compile(r"sys\.path\.(?:append\(|insert\(0, )(?:os\.path\.\w+\()+__file__\)+")


def first_effect(modules: Modules, homes: Iterable[Source]) -> ast.stmt | None:
    """The first statement of ``__init__.py`` whose effect importing other modules would lack.

    Only definitions, plain constants, and imports of what is imported anyway have none.

    Args:
        modules: the modules of the project.
        homes: the files that are imported anyway: those of the trial, of its data and their like.
    """
    init = modules.by_name.get("__init__")
    homes = list(homes)
    if init is None or init in homes:
        return None
    imported = modules.run_by_importing(homes)
    libraries = {one for source in imported for node in source.tree.body for one in _roots(node)}
    for node in init.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            siblings = list(modules.imported(init, node))
            has_effect = (
                any(one not in imported for one in siblings)
                if siblings
                else any(not _is_inert(one) and one not in libraries for one in _roots(node))
            )
        else:
            has_effect = not _only_names(node)
        if has_effect:
            return node
    return None


def _roots(node: ast.stmt) -> list[str]:
    """The top packages that a statement imports."""
    match node:
        case ast.Import(names=aliases):
            return [alias.name.partition(".")[0] for alias in aliases]
        case ast.ImportFrom(module=str(module), level=0):
            return [module.partition(".")[0]]
    return []


def _is_inert(package: str) -> bool:
    """Whether importing a package changes nothing: of Python itself, or of the old harness."""
    return package in sys.stdlib_module_names or names.is_legacy(f"{package}.x")


def _only_names(node: ast.stmt) -> bool:
    """Whether a statement only binds a name to something that needs no call."""
    match node:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return not node.decorator_list
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__"):
            return True
        case ast.Assign(targets=targets, value=value):
            is_call = any(isinstance(one, ast.Call) for one in ast.walk(value))
            return not is_call and all(isinstance(one, ast.Name) for one in targets)
    text = ast.unparse(node)  # the file's own directory is on the path anyway
    return _ADDS_TO_PATH.fullmatch(text) is not None and text.count("dirname(") == 1
