"""``# pedl2det: skip``: lines and files that the user wants left as they are."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

#: The comment.
SKIP = re.compile(r"#\s*pedl2det:\s*skip\b")


@dataclass(frozen=True)
class Skipped:
    """What of a file is to be left.

    Attributes:
        whole: the whole file: the comment stands alone, before the first statement.
        lines: single lines, from 1: the comment stands at their end.
    """

    whole: bool = False
    lines: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return self.whole or bool(self.lines)

    def __contains__(self, line: int) -> bool:
        return self.whole or line in self.lines


def skipped_in_code(text: str) -> Skipped:
    """What of a Python file is to be left; a statement over several lines is left as a whole."""
    if not SKIP.search(text):
        return Skipped()
    lines: set[int] = set()
    whole, is_begun, statement_has_it, first = False, False, False, 1
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if token.type == tokenize.COMMENT and SKIP.match(token.string):
            alone = not token.line[: token.start[1]].strip()
            whole = whole or (alone and not is_begun)
            statement_has_it = statement_has_it or not alone
        elif token.type == tokenize.NEWLINE:
            if statement_has_it:
                lines.update(range(first, token.start[0] + 1))
            statement_has_it, first = False, token.end[0] + 1
        elif token.type in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            if token.type == tokenize.NL and not token.line.split("#")[0].strip():
                first = token.end[0] + 1
        elif token.type not in (tokenize.STRING, tokenize.ENCODING, tokenize.COMMENT):
            is_begun = True
    return Skipped(whole, frozenset(lines))


def skipped_in_text(text: str) -> Skipped:
    """What of a file with ``#`` comments, such as YAML, is to be left."""
    lines = text.splitlines()
    found = {number for number, line in enumerate(lines, 1) if SKIP.search(line)}
    begun = next((n for n, line in enumerate(lines, 1) if line.partition("#")[0].strip()), 0)
    whole = any(number < begun for number in found)
    return Skipped(whole, frozenset(found))
