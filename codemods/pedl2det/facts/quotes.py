"""Texts in other quotes within an f-string, which may not hold its own before Python 3.12."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from pedl2det.facts.source import Source


def fitting(source: Source, place: ast.AST, text: str) -> str:
    """An expression's text, with its strings in the other quotes where a place needs them.

    What cannot be written so stays; the check of the whole file finds it.
    """
    quote = _quote_around(source, place)
    if quote is None or quote not in text:
        return text
    other = "'" if quote == '"' else '"'
    found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token in reversed(found):
        (row, begin), (_, end) = token.start, token.end
        is_plain = re.fullmatch(rf"{quote}[^\\'\"]*{quote}", token.string) is not None
        if token.type == tokenize.STRING and row == 1 and is_plain:
            text = f"{text[:begin]}{other}{token.string[1:-1]}{other}{text[end:]}"
    return text


def _quote_around(source: Source, place: ast.AST) -> str | None:
    """The quote of the f-string around a place; None if there is none, or it has three."""
    parents = source.names.parents
    node: ast.AST | None = place
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.JoinedStr):
            begin = re.match("[fFrR]*(\"\"\"|'''|\"|')", source.segment(node))
            return begin[1] if begin and len(begin[1]) == 1 else None
        node = parents.get(node)
    return None
