"""Check a new text before it replaces the old one."""

from __future__ import annotations

import ast
import builtins
import io
import re
import symtable
import tokenize
import warnings
from collections import Counter

from pedl2det.analysis.source import Source
from pedl2det.edits.comments import FOR_TOOLS

_TAIL = re.compile("#[^\r\n]*")
_ALWAYS = frozenset({"__file__", "__name__", "__path__", "__spec__", "__loader__", "__package__"})


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


def undefined(text: str) -> set[str]:
    """Return the global names that a text uses and does not define.

    A text with ``import *`` may define any name, so it has none.
    """
    if re.search(r"^\s*from\s+\S+\s+import\s+\(?\s*\*", text, re.MULTILINE):
        return set()
    with warnings.catch_warnings(action="ignore"):
        module = symtable.symtable(text, "text", "exec")
    defined = {
        one.get_name()
        for one in module.get_symbols()
        if one.is_assigned() or one.is_imported() or one.is_namespace()
    }
    used: set[str] = set()
    waiting = [module]
    while waiting:
        scope = waiting.pop()
        for symbol in scope.get_symbols():
            is_global = scope is module or symbol.is_global()
            if is_global and symbol.is_referenced():
                used.add(symbol.get_name())
            if symbol.is_declared_global() and symbol.is_assigned():
                defined.add(symbol.get_name())
        waiting += scope.get_children()
    return {one for one in used - defined - _ALWAYS if not hasattr(builtins, one)}


def _lost_comments(old: str, new: str) -> Counter[str]:
    """The comments of an old text that a new one lacks.

    Most often every piece of text from a ``#`` to the end of its line is still there, and with it
    every comment. Only otherwise are comments told from other text, which takes long.
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return Counter()
    return _comments(old) - _comments(new) - _of_dropped_locals(old, new)


def _comments(text: str) -> Counter[str]:
    """The comments for people, each as often as it is there."""
    return Counter(string for _, string in _placed_comments(text))


def _placed_comments(text: str) -> list[tuple[int, str]]:
    return [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS)
    ]


def _of_dropped_locals(old: str, new: str) -> Counter[str]:
    """The comments above and behind assignments to locals that the new text does not have.

    They speak of code that is gone, and go with it.
    """
    gone = _local_assignments(old)
    for name in _local_assignments(new):
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


def _local_assignments(text: str) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The lines of assignments to single names in functions, by function and name."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                match node:
                    case ast.Assign(targets=[ast.Name(id=name)]):
                        span = (node.lineno, node.end_lineno or node.lineno)
                        found.setdefault((function.name, name), []).append(span)
    return found
