"""Check a new text before it replaces the old one."""

from __future__ import annotations

import io
import re
import tokenize
import warnings
from collections import Counter

from pedl2det.analysis.source import Source
from pedl2det.edits.comments import FOR_TOOLS
from pedl2det.edits.undefined import wrong_names

_TAIL = re.compile("#[^\r\n]*")


def problem_with(source: Source, text: str) -> str | None:
    """Return what is wrong with a new text of a file, or None.

    It must parse and compile, and do nothing wrong with a name that the old text did not.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    wrong = wrong_names(text) - wrong_names(source.text)
    if wrong:
        return f"would {min(wrong)}"
    return source.problem_with(text)


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
