"""Check a new text before it replaces the old one."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator

from pedl2det.analysis.source import Source
from pedl2det.edits.comments import FOR_TOOLS
from pedl2det.edits.undefined import undefined

_TAIL = re.compile("#[^\r\n]*")


def problem_with(source: Source, text: str) -> str | None:
    """Return what is wrong with a new text of a file, or None.

    It must parse and compile, use no undefined name that the old text did not, and keep the
    comments.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    missing = undefined(text) - undefined(source.text)
    if missing:
        return f"would use {min(missing)}, which nothing defines"
    problem = source.problem_with(text)
    if problem is not None:
        return problem
    lost = _lost_comments(source.text, text)
    return f"would lose a comment: {min(lost)}" if lost else None


def _lost_comments(old: str, new: str) -> Counter[str]:
    """The comments of an old text that a new one lacks.

    Most often every piece of text from a ``#`` to the end of its line is still there, and with it
    every comment. Only otherwise are comments told from other text, which takes long.
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return Counter()
    return _comments(old) - _comments(new) - _of_gone_bindings(old, new)


def _comments(text: str) -> Counter[str]:
    """The comments for people, each as often as it is there."""
    return Counter(string for _, string in _placed_comments(text))


def _placed_comments(text: str) -> list[tuple[int, str]]:
    return [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS)
    ]


def _of_gone_bindings(old: str, new: str) -> Counter[str]:
    """The comments above, in and behind assignments and imports that the new text does not have.

    They speak of code that is gone, and go with it; see ``edits.comments``.
    """
    gone = _bindings(old)
    for name in _bindings(new):
        gone.pop(name, None)
    lines = old.split("\n")
    found: Counter[str] = Counter()
    placed = dict(_placed_comments(old))
    for start, end in (span for spans in gone.values() for span in spans):
        above = start - 1
        while above > 0 and lines[above - 1].lstrip().startswith("#"):
            above -= 1
        found.update(placed[line] for line in range(above + 1, end + 1) if line in placed)
    return found


def _bindings(text: str) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The lines of what binds names: single names by their scope, imports by their modules."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def walk(node: ast.AST, scope: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                span = child.lineno, child.end_lineno or child.lineno
                for name in _bound(child):
                    found.setdefault((scope, name), []).append(span)
            is_scope = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            walk(child, child.name if is_scope else scope)  # type: ignore[attr-defined]

    walk(ast.parse(text), "")
    return found


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Import(names=aliases):
            yield from (f"import {one.name}" for one in aliases)
        case ast.ImportFrom(module=module, level=level):
            yield f"import {'.' * level}{module}"
        case ast.Try(body=[ast.Import() | ast.ImportFrom() as first, *_]):
            yield from _bound(first)
