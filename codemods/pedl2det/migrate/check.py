"""What is looked at before a rewritten file is taken for good."""

from __future__ import annotations

import io
import re
import tokenize
import warnings
from collections import Counter

from pedl2det.edit.import_lines import TOOL_COMMENTS
from pedl2det.facts.occurrences import occurrences
from pedl2det.facts.source import Source
from pedl2det.tables.legacy import mentions_legacy

_TAIL = re.compile("#[^\r\n]*")


def problem_with(source: Source, text: str, kept: set[str]) -> str | None:
    """What is wrong with a new text: it must parse, compile and be free of the old API."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    if mentions_legacy(text.encode("utf-8", errors="replace")):
        new = Source.of(source.path, text)
        names = (found for found in occurrences(new) if not found.is_skipped)
        left = next((found for found in names if found.name not in kept), None)
        if left is not None:
            return f"would still use {left.name}"
    problem = source.problem_with(text)
    if problem is not None:
        return problem
    lost = _lost_comments(source.text, text)
    return f"would lose a comment: {min(lost)}" if lost else None


def _lost_comments(old: str, new: str) -> Counter[str]:
    """The comments of an old text that a new one has not.

    Most often every piece of text from a ``#`` to the end of its line is there still, and with it
    every comment; only else the comments are told from the rest, which takes long.
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return Counter()
    return _comments(old) - _comments(new)


def _comments(text: str) -> Counter[str]:
    """The comments that are meant for people, each as often as it stands there."""
    return Counter(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(TOOL_COMMENTS)
    )
