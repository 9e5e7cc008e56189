"""A notebook's JSON: its cells, where each source stands, and a new source put in its place.

Nothing is parsed and printed again: a round trip changes bytes that the edit did not concern.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.findings import Unreadable

Span = tuple[int, int]

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        number: its place among all cells of the notebook, from 1.
        is_code: whether it is a code cell.
        language: what it says of its own language, else an empty string.
        source: its text.
        span: where the JSON value of its text begins and ends.
    """

    number: int
    is_code: bool
    language: str
    source: str
    span: Span

    @property
    def magic(self) -> str:
        """The name of the ``%%magic`` that takes the whole cell, or an empty string."""
        found = re.match(r"\s*%%(!|\w+)", self.source)
        return found[1] if found else ""

    @property
    def magic_line(self) -> str:
        """The line of that magic, without its end."""
        return self.source.lstrip().partition("\n")[0].rstrip("\r") if self.magic else ""

    @property
    def is_shell(self) -> bool:
        """Whether a shell runs the whole cell."""
        if self.magic == "script":
            return re.search(r"\b(?:ba|z)?sh\b", self.magic_line) is not None
        return self.magic in {"!", "bash", "sh", "sx", "system"}

    @property
    def body(self) -> tuple[str, int]:
        """The text below the line of the magic, and the number of its first line."""
        head, _, body = self.source.partition(self.magic_line)
        body = body[2:] if body.startswith("\r\n") else body[1:]
        return body, head.count("\n") + 2


@dataclass(frozen=True)
class Document:
    """One notebook file.

    Attributes:
        path: where it is.
        text: its JSON text, as it stands there.
        bom: whether it begins with a byte order mark.
        language: the language of its kernel, in lower case; Python if it does not say.
        cells: its cells.
    """

    path: Path
    text: str
    bom: bool
    language: str
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, path: Path, data: bytes) -> Document:
        """Read the bytes of a notebook.

        Raises:
            Unreadable: they are not a notebook of format 4.
        """
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
            value = json.loads(text)
        except UnicodeDecodeError as error:
            raise Unreadable(f"not UTF-8 text (byte {error.start})") from None
        except json.JSONDecodeError as error:
            raise Unreadable(f"not JSON: {error.msg}", error.lineno) from None
        except RecursionError:
            raise Unreadable("not a notebook: its JSON is nested too deep") from None
        if not isinstance(value, dict) or not isinstance(value.get("cells"), list):
            message = "not a notebook of format 4: open it in Jupyter and save it again"
            raise Unreadable(message)
        cells = tuple(_cells(text))
        return cls(path, text, data.startswith(codecs.BOM_UTF8), _language(value), cells)

    @property
    def is_python(self) -> bool:
        """Whether its kernel runs Python."""
        return self.language.startswith(("python", "ipython"))

    def with_sources(self, sources: dict[int, str]) -> bytes:
        """The bytes with new texts for some cells, by number."""
        text = self.text
        ascii_only = text.isascii() and any(
            len(escape) == 5 and int(escape[1:], 16) > 127
            for escape in re.findall(r"\\(u[0-9a-fA-F]{4}|.)", text)
        )
        for cell in sorted(self.cells, key=lambda cell: cell.span, reverse=True):
            source = sources.get(cell.number, cell.source)
            if source != cell.source:
                start, end = cell.span
                text = text[:start] + rewritten(text[start:end], source, ascii_only) + text[end:]
        return (codecs.BOM_UTF8 if self.bom else b"") + text.encode()


def _cells(text: str) -> Iterator[Cell]:
    notebook = dict(_items(text, _after_blank(text, 0)))
    for number, (_, (start, _)) in enumerate(_items(text, notebook["cells"][0]), 1):
        if text[start] != "{":
            raise Unreadable(f"not a notebook: cell {number} is no object")
        members = dict(_items(text, start))
        values = {key: _DECODER.raw_decode(text, span[0])[0] for key, span in members.items()}
        source = values.get("source", "")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise Unreadable(f"not a notebook: the source of cell {number} is no text")
        is_code = values.get("cell_type") == "code" and "source" in members
        language = _text(values.get("metadata"), "vscode", "languageId")
        yield Cell(number, is_code, language, source, members.get("source", (start, start)))


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    found = _text(metadata, "language_info", "name") or _text(metadata, "kernelspec", "language")
    return (found or _text(metadata, "kernelspec", "name") or "python").lower()


def _text(value: Any, *path: str) -> str:
    """The text at a path of keys; an empty one where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


# Where things stand in a JSON text that is known to be right.


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _items(text: str, at: int) -> Iterator[tuple[str, Span]]:
    """The spans of the values of the object or array at a place, with the keys of an object."""
    closing = "}" if text[at] == "{" else "]"
    at = _after_blank(text, at + 1)
    while text[at] != closing:
        key = ""
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _after_blank(text, _after_blank(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        yield key, (at, end)
        at = _after_blank(text, end)
        at = _after_blank(text, at + 1) if text[at] == "," else at


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
    known = {json.loads(text): text for text in _STRING.findall(literal)}
    opening, *between, closing = _STRING.split(literal) if known else ("[", ", ", "]")
    separator = between[0] if between else f",{opening[1:] or ' '}"
    lines = (
        known.get(line) or _dumped(line, ascii_only) for line in source.splitlines(keepends=True)
    )
    return f"{opening}{separator.join(lines)}{closing}"


def _dumped(text: str, ascii_only: bool) -> str:
    has_surrogates = re.search("[\ud800-\udfff]", text) is not None  # UTF-8 has no bytes for them
    return json.dumps(text, ensure_ascii=ascii_only or has_surrogates)
