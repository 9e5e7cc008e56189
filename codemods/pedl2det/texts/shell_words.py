"""Split a text for a shell into commands and words, with the place of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLANK = re.compile(r"(?:[ \t]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECTION = re.compile(r"\d*(?:>>|>&|<<<?-?|>\||[<>])&?[ \t]*")
_PLACEHOLDER = re.compile(r"<[^\s<>][^<>\n]*>")
_SEPARATORS = ";&|\n()"


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
    at = start
    while at < end:
        blank = _BLANK.match(text, at, end)
        if blank:
            at = blank.end()
        elif text[at] == "#":
            at = _end(_COMMENT, text, at, end)
        elif text[at] in _SEPARATORS:
            if words:
                yield words
            words, at = [], at + 1
        elif (found := _REDIRECTION.match(text, at, end)) and not (
            placeholders and _PLACEHOLDER.match(text, at, end)
        ):
            at = _word(text, found.end(), end, placeholders).end
            at = max(at, found.end())
        else:
            word = _word(text, at, end, placeholders)
            words.append(word)
            at = max(word.end, at + 1)
    if words:
        yield words


def _word(text: str, start: int, end: int, placeholders: bool) -> Word:
    at = start
    inner: list[tuple[int, int]] = []
    while at < end:
        char = text[at]
        placeholder = _PLACEHOLDER.match(text, at, end) if placeholders else None
        if char == "\\" and at + 1 < end:
            if text[at + 1] in "\r\n":
                break
            at += 2
        elif char == "'":
            at = _after(text, "'", at + 1, end)
        elif char == '"':
            at = _quoted(text, at + 1, end, inner)
        elif text.startswith("$(", at):
            close = _balanced(text, at + 2, end)
            inner.append((at + 2, close))
            at = min(close + 1, end)
        elif char == "`":
            close = _after(text, "`", at + 1, end)
            inner.append((at + 1, max(close - 1, at + 1)))
            at = close
        elif text.startswith("${", at):
            at = _after(text, "}", at + 2, end)
        elif placeholder:
            at = placeholder.end()
        elif char in " \t<>" + _SEPARATORS or char == "\r":
            break
        else:
            at += 1
    return Word(start, at, text[start:at], tuple(inner))


def _quoted(text: str, at: int, end: int, inner: list[tuple[int, int]]) -> int:
    """The end of a text in double quotes; commands in it are noted."""
    while at < end and text[at] != '"':
        if text[at] == "\\":
            at += 2
        elif text.startswith("$(", at):
            close = _balanced(text, at + 2, end)
            inner.append((at + 2, close))
            at = close + 1
        else:
            at += 1
    return min(at + 1, end)


def _balanced(text: str, at: int, end: int) -> int:
    """The parenthesis that closes the one before."""
    depth = 1
    while at < end:
        char = text[at]
        if char == "'":
            at = _after(text, "'", at + 1, end)
            continue
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return at
        at += 1
    return end


def _after(text: str, mark: str, at: int, end: int) -> int:
    found = text.find(mark, at, end)
    return end if found < 0 else found + 1


def _end(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    found = pattern.match(text, at, end)
    return found.end() if found else at + 1
