"""Mask credentials in reports, which are handed on; ``--diff`` shows a user's own lines.

:mod:`pedl2det_runtime.config.credentials` tells what a credential is. Mask rather too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.file_bytes import read_bytes
from pedl2det.engine.result import Result
from pedl2det.findings import Unreadable

Part = tuple[int, int]  # start, end

_CODE = (".py", ".ipynb")
_SHORTEST = 4  # of a value that is looked for elsewhere, too
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


@dataclass(frozen=True)
class Hider:
    """Masks credentials.

    Attributes:
        directories: directories of configs, whose credentials are masked wherever they occur.
    """

    directories: tuple[Path, ...] = ()

    @classmethod
    def of(cls, result: Result) -> Hider:
        """Look at the configs beside every file that a result is about."""
        paths = [*(file.path for file in result.files), *(each.path for each in result.findings)]
        return cls(tuple(dict.fromkeys(path.parent for path in paths)))

    @cached_property
    def _known(self) -> list[str]:
        """The credentials of the configs, read on first use."""
        paths = [path for place in self.directories for path in sorted(place.glob("*.y*ml"))]
        return list({value for path in paths for value in _values_of(path)})

    def in_file(self, path: Path, text: str) -> str:
        """Mask the text of a file; its lines keep their numbers."""
        from pedl2det_runtime.config.credentials import masked, secret_parts

        if path.suffix not in _CODE:
            return masked(text, [*secret_parts(text), *self._everywhere(text)])
        inner = [*_STRING.finditer(text), *_COMMENT.finditer(text)]
        parts = [
            (one.start(one.lastindex or 0) + start, one.start(one.lastindex or 0) + end)
            for one in inner
            for start, end in secret_parts(one[one.lastindex or 0])
        ]
        return masked(text, [*parts, *_literals(text), *self._everywhere(text)])

    def in_prose(self, text: str) -> str:
        """Mask a message or a line of code."""
        return self.in_file(Path("message.py"), text)

    def _everywhere(self, text: str) -> Iterator[Part]:
        from pedl2det_runtime.config.credentials import unnamed_parts

        yield from unnamed_parts(text)
        for value in self._known:
            for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
                yield found.span()


def _values_of(path: Path) -> Iterator[str]:
    """Yield the credentials of a config line by line; an unreadable one has none."""
    from pedl2det_runtime.config.credentials import is_secret, mentions_secret, secret_parts

    try:
        text = read_bytes(path).decode("utf-8", errors="replace")
        config = Config.of(text) if mentions_secret(text) else None
    except Unreadable:
        return
    for one in config.scalars() if config else ():
        value = one.scalar or ""
        is_inside = any(map(is_secret, one.path)) and not _is_switch(one.value.tag)
        parts = [(0, len(value))] if is_inside else secret_parts(value)
        lines = "\n".join(value[start:end] for start, end in parts).split("\n")
        yield from (line.strip() for line in lines if len(line.strip()) >= _SHORTEST)


def _is_switch(tag: str) -> bool:
    return tag in ("tag:yaml.org,2002:null", "tag:yaml.org,2002:bool")


def _literals(text: str) -> Iterator[Part]:
    """Yield what is in quotes behind the name of a variable, key or argument."""
    from pedl2det_runtime.config.credentials import is_secret

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
