"""The JSON literal of a cell's source, written anew in the manner of the old one."""

from __future__ import annotations

import json
import re

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def rewritten(literal: str, source: str, ascii_only: bool) -> str:
    """A literal for another text: a string stays a string, a list of lines a list.

    Args:
        literal: the old literal; lines that stay keep its way of writing them.
        source: the new text.
        ascii_only: whether characters past ASCII are escaped.
    """
    if not literal.startswith("["):
        return _dumped(source, ascii_only)
    if not source:
        return "[]"
    old = [match[0] for match in _STRING.finditer(literal)]
    known = {json.loads(text): text for text in old}
    opening, between, closing = _gaps(literal)
    lines = (
        known.get(line) or _dumped(line, ascii_only) for line in source.splitlines(keepends=True)
    )
    return f"[{opening}{between.join(lines)}{closing}]"


def _dumped(text: str, ascii_only: bool) -> str:
    has_surrogates = re.search("[\ud800-\udfff]", text) is not None  # UTF-8 has no bytes for them
    return json.dumps(text, ensure_ascii=ascii_only or has_surrogates)


def _gaps(literal: str) -> tuple[str, str, str]:
    """What stands before the first line, between two lines and after the last one."""
    spans = [match.span() for match in _STRING.finditer(literal)]
    if not spans:
        return "", ", ", ""
    opening = literal[1 : spans[0][0]]
    closing = literal[spans[-1][1] : -1]
    between = literal[spans[0][1] : spans[1][0]] if len(spans) > 1 else f",{opening or ' '}"
    return opening, between, closing
