"""Find the code of a migrated trial that its training did not execute: no proof speaks of it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pedl2det.analysis.project import SUPPORT
from pedl2det.engine.result import Lines
from pedl2det.verify.copies import Copy

#: Statements of which nothing is executed, or only that there is a function or a class.
_NOTHING = (
    *(ast.Pass, ast.Global, ast.Nonlocal, ast.Try),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
)


def unrun_lines(copy: Copy) -> Lines:
    """Return the lines of statements that a training of a copy did not execute.

    Of a file that was not imported, none is named; nor is what `migrate` writes for a trial.
    """
    executed: dict[Path, set[int]] = defaultdict(set)
    text = copy.lines.read_text("utf-8", "surrogateescape") if copy.lines.is_file() else ""
    for line in text.splitlines():
        number, _, path = line.partition(" ")
        executed[Path(path)].add(int(number))
    return {
        copy.original(path): _unrun_in(path, lines)
        for path, lines in executed.items()
        if path.is_file() and path.suffix == ".py" and path.name != SUPPORT
    }


def _unrun_in(path: Path, executed: set[int]) -> frozenset[int]:
    found: set[int] = set()
    before = None  # the last line of the statement before, if that was not executed either
    for first, last in _statements(ast.parse(path.read_bytes())):
        is_unrun = executed.isdisjoint(range(first, last + 1))
        if is_unrun:
            found.update(range((before or first - 1) + 1, last + 1))
        before = last if is_unrun else None
    return frozenset(found)


def _statements(node: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each statement; of one with a body, those of its head."""
    for child in ast.iter_child_nodes(node):
        is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if isinstance(child, ast.stmt) and not (is_text or isinstance(child, _NOTHING)):
            body = getattr(child, "body", None) or getattr(child, "cases", None)
            last = max(child.lineno, body[0].lineno - 1) if body else child.end_lineno
            yield child.lineno, last or child.lineno
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _statements(child)


def common(first: Lines, second: Lines) -> Lines:
    """Return the lines that neither of two trainings executed."""
    both = {path: first[path] & second[path] for path in first.keys() & second.keys()}
    return {**first, **second, **both}
