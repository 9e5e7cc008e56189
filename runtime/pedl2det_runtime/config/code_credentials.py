"""Find credentials in Python code, also in that of a notebook. Pure, as :mod:`.credentials` is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pedl2det_runtime.config.credentials import Part, is_secret, secret_parts, unnamed_parts

_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
_STRING = re.compile(r"([\"'])((?:\\.|(?!\1)[^\\\n])*)\1")
_QUOTE = r"\s{0,99}[rbfuRBFU]{0,2}(\"\"\"|'''|(?:\\\"){3}|\\?[\"'])"  # in a notebook, it is \"
_NEXT = re.compile(_QUOTE)
_LITERAL = re.compile(
    r"(?<![\w.-])([\w.-]+)"  # no name begins within another: time stays linear
    r"(?=(?:\\?[\"']\s{0,9}\]?\s{0,9}[,:]"  # of a mapping; the first of two arguments
    r"|\\?[\"']?\s{0,9}\]?\s{0,9}(?::[ \w.|\[\]]{1,60})?={1,2}|\s{0,9}:)"
    r"\s{0,99}\(?" + _QUOTE + ")"
)


def parts_in_code(text: str) -> Iterator[Part]:
    """Yield the credentials in string literals and comments, and unnamed ones anywhere."""
    for inner in [*_STRING.finditer(text), *_COMMENT.finditer(text)]:
        group = inner.lastindex or 0
        for start, end in secret_parts(inner[group]):
            yield inner.start(group) + start, inner.start(group) + end
    yield from _literals(text)
    yield from unnamed_parts(text)


def _literals(text: str) -> Iterator[Part]:
    """Yield what is in quotes behind the name of a variable, key or argument."""
    for found in _LITERAL.finditer(text):
        if is_secret(found[1]):
            yield found.end(2), _closing(text, found.end(2), found[2])


def _closing(text: str, start: int, quote: str) -> int:
    """Find the end of literals that Python joins; one that is not closed ends with its line."""
    while True:
        line = "." if len(quote.replace("\\", "")) == 3 else r"[^\n]"
        inner = re.compile(rf"(?:(?!{re.escape(quote)})(?:\\.|{line}))*", re.DOTALL)
        found = inner.match(text, start)
        end = found.end() if found else start
        following = _NEXT.match(text, end + len(quote))
        if not text.startswith(quote, end) or following is None:
            return end
        start, quote = following.end(), following[1]
