"""Where credentials stand in code, comments and other text, as names before them tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

Part = tuple[int, int]  # from, to

_COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
_QUOTE = r"\s{0,99}[rbfuRBFU]{0,2}(\"\"\"|'''|(?:\\\"){3}|\\?[\"'])"  # in a notebook, it is \"
_NEXT = re.compile(_QUOTE)
_NAME = r"(?<![\w.-])([\w.-]+)"  # no name begins within another: time stays linear
_NAMED = re.compile(_NAME + r"[\"']?\s{0,9}[:=]\s{0,99}(?=\S)")
_ASSIGNED = re.compile(r"(?<!\w)(\w+)=(\S+)")
_LITERAL = re.compile(
    _NAME + r"(?=(?:\\?[\"']\s{0,9}\]?\s{0,9}[,:]"  # of a mapping; the first of two arguments
    r"|\\?[\"']?\s{0,9}\]?\s{0,9}(?::[ \w.|\[\]]{1,60})?={1,2}|\s{0,9}:)"
    r"\s{0,99}\(?" + _QUOTE + ")"
)
_IN_LITERAL = re.compile(r"[\"'](\w+)=([^\"'\n]+)")


def names_in(text: str) -> Iterator[str]:
    """Every name with something behind it."""
    return (found[1] for found in _NAMED.finditer(text))


def in_comments(text: str) -> Iterator[Part]:
    """What a comment gives to a name."""
    for comment in _COMMENT.finditer(text):
        yield from after_names(comment[0], comment.start())


def after_names(text: str, offset: int) -> Iterator[Part]:
    """What stands behind ``name:`` or ``name =``, up to the end of the line."""
    from pedl2det_runtime.config.credentials import is_secret

    for found in _NAMED.finditer(text):
        if is_secret(found[1]):
            end = text.find("\n", found.end())
            yield offset + found.end(), offset + (len(text) if end < 0 else end)


def in_plain(text: str) -> Iterator[Part]:
    """What stands behind ``NAME=``, as in a shell."""
    from pedl2det_runtime.config.credentials import is_secret

    for found in _ASSIGNED.finditer(text):
        if is_secret(found[1]):
            yield found.span(2)


def in_code(text: str) -> Iterator[Part]:
    """Texts in quotes that are given to a name, a key or an argument."""
    from pedl2det_runtime.config.credentials import is_secret

    for found in _LITERAL.finditer(text):
        if is_secret(found[1]):
            yield found.end(2), _closing(text, found.end(2), found[2])
    for found in _IN_LITERAL.finditer(text):
        if is_secret(found[1]):
            yield found.span(2)


def _closing(text: str, start: int, quote: str) -> int:
    """Where the literals end of which the first begins behind a quote.

    They are one text if nothing stands between them. One that is not closed ends with its line.
    """
    while True:
        line = "." if len(quote.replace("\\", "")) == 3 else r"[^\n]"
        inner = re.compile(rf"(?:(?!{re.escape(quote)})(?:\\.|{line}))*", re.DOTALL)
        found = inner.match(text, start)
        end = found.end() if found else start
        following = _NEXT.match(text, end + len(quote))
        if not text.startswith(quote, end) or following is None:
            return end
        start, quote = following.end(), following[1]
