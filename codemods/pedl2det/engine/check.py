"""Check a new text before it replaces the old one."""

from __future__ import annotations

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

    It must parse and compile, and use no undefined name that the old text did not.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    missing = undefined(text) - undefined(source.text)
    if missing:
        return f"would use {min(missing)}, which nothing defines"
    return source.problem_with(text)


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


def lost_comments(old: str, new: str) -> list[tuple[int, str]]:
    """The comments of an old text that a new one lacks, each with its line.

    A comment behind a statement that is deleted, such as an import, goes with it; all others move
    to the line above (:mod:`pedl2det.edits.comments`).
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return []  # most often; comments are told from other text only otherwise
    kept = Counter(text for _, text in _comments(new))
    lost = []
    for line, text in _comments(old):
        if kept[text] > 0:
            kept[text] -= 1
        else:
            lost.append((line, text))
    return lost


def _comments(text: str) -> list[tuple[int, str]]:
    """The comments for people."""
    return [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(FOR_TOOLS)
    ]
