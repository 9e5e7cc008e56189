"""``# pedl2det: skip``: lines and files that the user wants left as they are."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

#: The comment.
SKIP = re.compile(r"#\s*pedl2det:\s*skip\b")


_BLANK = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.NEWLINE)


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
    whole = is_begun = False
    statement: list[tokenize.TokenInfo] = []  # what is read of the logical line
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        is_skip = token.type == tokenize.COMMENT and SKIP.match(token.string)
        if is_skip and not token.line[: token.start[1]].strip():  # it stands alone
            whole = whole or not is_begun
        elif is_skip or token.type not in _BLANK:
            statement.append(token)
            is_begun = is_begun or token.type not in (tokenize.STRING, tokenize.COMMENT)
        if token.type == tokenize.NEWLINE:
            if any(one.type == tokenize.COMMENT for one in statement):
                lines.update(range(statement[0].start[0], token.start[0] + 1))
            statement = []
    return Skipped(whole, frozenset(lines))


def skipped_in_text(text: str) -> Skipped:
    """What of a file with ``#`` comments, such as YAML, is to be left."""
    lines = text.splitlines()
    found = {number for number, line in enumerate(lines, 1) if SKIP.search(line)}
    begun = next((n for n, line in enumerate(lines, 1) if line.partition("#")[0].strip()), 0)
    whole = any(number < begun for number in found)
    return Skipped(whole, frozenset(found))
