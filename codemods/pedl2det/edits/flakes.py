"""What pyflakes reports: names that are wrong, and variables that went unused."""

from __future__ import annotations

import ast
from collections import Counter

from pyflakes import messages
from pyflakes.checker import Checker

from pedl2det.analysis.source import Source
from pedl2det.edits.apply import apply
from pedl2det.fixes import ReplaceStatement

_WRONG = {
    messages.UndefinedName: "use {}, which nothing defines",
    messages.UndefinedLocal: "use {} before it is assigned",
    messages.UndefinedExport: "export {}, which nothing defines",
    messages.RedefinedWhileUnused: "define {} twice",
}


def wrong_names(tree: ast.Module) -> Counter[str]:
    """Return what a file does with names that it should not, in words: ``use x, which ...``."""
    # A file with `import *` may define any name, and uses no undefined one.
    return Counter(_WRONG[type(at)].format(at.message_args[0]) for at in _problems(tree, *_WRONG))


def undefined_exports(tree: ast.Module) -> set[str]:
    """Return the names in ``__all__`` that nothing defines."""
    return {problem.message_args[0] for problem in _problems(tree, messages.UndefinedExport)}


def without_unused(old: Source, text: str) -> Source:
    """Return the new file without harmless assignments to locals that it stopped reading."""
    while True:
        source = Source.of(old.path, text)
        assigned = [node for node in source.names.of(ast.Assign) if _is_harmless(node)]
        unused = _unused(source) if assigned else {}
        had = _unused(old).values() if unused else ()
        places = [at for at, name in unused.items() if name not in had]
        gone = [node for node in assigned if (node.lineno, node.col_offset) in places]
        if not gone:
            return source
        text = apply(source, map(ReplaceStatement, gone), {})


def _unused(source: Source) -> dict[tuple[int, int], str]:
    """The local variables that nothing reads, by the places of their assignments."""
    problems = _problems(source.tree, messages.UnusedVariable)
    return {(problem.lineno, problem.col): problem.message_args[0] for problem in problems}


def _problems(tree: ast.Module, *kinds: type) -> list[messages.Message]:
    return [problem for problem in Checker(tree).messages if type(problem) in kinds]


def _is_harmless(node: ast.Assign) -> bool:
    """Whether it binds one name, and just reads names, attributes, items or hyperparameters."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    for part in ast.walk(node.value):
        if isinstance(part, ast.Call):
            method = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            if method != "get" and not method.startswith("get_"):
                return False
        elif isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr):
            return False
    return True
