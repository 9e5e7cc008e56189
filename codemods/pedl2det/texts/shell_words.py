"""Split a text for a shell into commands and words, with the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_PLACEHOLDER = r"<[^\s<>][^<>\n]*>"
_WORD = r"""(?:
    \\(?![\r\n]). | '[^']*(?:'|\Z) | "(?:\\.|\$\([^()]*\)|[^"\\])*(?:"|\Z)
    | \$\([^()]*(?:\)|\Z) | `[^`]*(?:`|\Z) | \$\{[^}]*(?:\}|\Z) | [^ \t\r\n;&|()<>\\]
)"""
_PART = r"""
    (?:[ \t\r] | \\\r?\n)+ | \#[^\n]* | (?P<end>[;&|\n()])
    | %(no)s \d*(?:>>|>&|<<<?-?|>\||[<>])&?[ \t]*%(word)s* | (?P<word>%(word)s+) | .
"""
_FLAGS = re.VERBOSE | re.DOTALL
_SHELL = re.compile(_PART % {"no": "", "word": _WORD}, _FLAGS)
_DOCUMENTATION = re.compile(
    _PART % {"no": f"(?!{_PLACEHOLDER})", "word": f"(?:{_PLACEHOLDER}|{_WORD})"}, _FLAGS
)
_INNER = re.compile(r"'[^']*'|\$\(([^()]*)\)?|`([^`]*)`?")


@dataclass(frozen=True)
class Word:
    """A word of a command.

    Attributes:
        start: its first character.
        end: the character after its last one.
        text: what is written there.
        inner: the spans within it that are commands of their own: ``$(...)``.
    """

    start: int
    end: int
    text: str
    inner: tuple[tuple[int, int], ...] = ()

    @property
    def plain(self) -> str:
        """The word without quotes around it."""
        text = self.text
        is_quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
        return text[1:-1] if is_quoted else text


def commands(text: str, start: int, end: int, placeholders: bool = False) -> Iterator[list[Word]]:
    """Every simple command of a part of a text, outer ones before those within their words.

    Args:
        text: the text.
        start: where the part begins.
        end: where it ends.
        placeholders: whether ``<host>`` is a word, as in documentation, and no redirection.
    """
    words: list[Word] = []
    for token in (_DOCUMENTATION if placeholders else _SHELL).finditer(text, start, end):
        if token["word"]:
            found = _INNER.finditer(text, token.start(), token.end())
            inner = tuple(one.span(one.lastindex) for one in found if one.lastindex)
            words.append(Word(token.start(), token.end(), token[0], inner))
        elif token["end"] and words:
            yield words
            words = []
    if words:
        yield words
