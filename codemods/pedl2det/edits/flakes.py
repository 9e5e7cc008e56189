"""What pyflakes knows of a text: wrong names, and variables that nothing uses any more."""

from __future__ import annotations

import ast
from collections import Counter

import libcst as cst
from pyflakes import messages
from pyflakes.checker import Checker

from pedl2det.analysis.source import Source
from pedl2det.edits.apply import edited
from pedl2det.fixes import ReplaceStatement

_WRONG = {
    messages.UndefinedName: "use {}, which nothing defines",
    messages.UndefinedLocal: "use {} before it is assigned",
    messages.UndefinedExport: "export {}, which nothing defines",
    messages.RedefinedWhileUnused: "define {} twice",
}


def wrong_names(text: str) -> Counter[str]:
    """Return what a text does with names that it should not, in words: ``use x, which ...``.

    A text with ``import *`` may define any name, so it uses no undefined one.
    """
    found = Checker(ast.parse(text)).messages
    return Counter(
        _WRONG[type(one)].format(one.message_args[0]) for one in found if type(one) in _WRONG
    )


def undefined(text: str) -> set[str]:
    """Return the names that a text uses and nothing defines."""
    found = Checker(ast.parse(text)).messages
    return {one.message_args[0] for one in found if isinstance(one, messages.UndefinedName)}


def without_unused(old: Source, tree: cst.Module) -> tuple[Source, cst.Module]:
    """Return the new file without assignments to local names that only the old text read.

    An assignment goes only if its value just reads names, attributes, items or hyperparameters.
    """
    source = Source.of(old.path, tree.code)
    read: set[str] = set()
    while unused := _unused(source):
        if not read:
            loaded = {one.id for one in old.names.of(ast.Name) if isinstance(one.ctx, ast.Load)}
            read = loaded - {name for name, _ in _unused(old)}
        places = {place for name, place in unused if name in read}
        gone = [
            node
            for node in source.names.of(ast.Assign)
            if (node.lineno, node.col_offset) in places and _is_harmless(node)
        ]
        if not gone:
            break
        tree = edited(source, map(ReplaceStatement, gone), {})
        source = Source.of(old.path, tree.code)
    return source, tree


def _unused(source: Source) -> list[tuple[str, tuple[int, int]]]:
    """The local variables that nothing reads, each with the place of an assignment."""
    found = Checker(source.tree).messages
    return [
        (one.message_args[0], (one.lineno, one.col))
        for one in found
        if isinstance(one, messages.UnusedVariable)
    ]


def _is_harmless(node: ast.Assign) -> bool:
    """Whether an assignment binds one name, to a value that is only read."""
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
