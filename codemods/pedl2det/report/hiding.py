"""No report shows a credential: stars stand where one was.

What a credential is, :mod:`pedl2det_runtime.config.credentials` says; the text of a file says where
one is, by the nodes of YAML and by the look of code. A part too many is hidden, not one shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.report.secrets_in_config import in_config, values_of
from pedl2det.report.secrets_in_text import Part, in_code, in_comments, in_plain

_CONFIGS = (".yaml", ".yml")
_CODE = (".py", ".ipynb")


@dataclass(frozen=True)
class Hider:
    """Hides credentials in what is shown.

    Attributes:
        directories: where the configs are whose credentials may stand elsewhere again.
    """

    directories: tuple[Path, ...] = ()

    @classmethod
    def of(cls, result: Result) -> Hider:
        """Look at the configs beside every file that a result is about."""
        paths = [*(file.path for file in result.files), *(each.path for each in result.findings)]
        return cls(tuple(dict.fromkeys(path.parent for path in paths)))

    @cached_property
    def _known(self) -> list[str]:
        """The credentials of the configs, the longest first; read when something is shown."""
        paths = [path for place in self.directories for path in sorted(place.glob("*.y*ml"))]
        values = {value for path in paths for value in values_of(path)}
        return sorted(values, key=len, reverse=True)

    def in_file(self, path: Path, text: str) -> str:
        """The text of a file without credentials, line by line the same."""
        if path.suffix in _CONFIGS:
            parts = in_config(text)
        else:
            parts = [*in_comments(text), *(in_code if path.suffix in _CODE else in_plain)(text)]
        return _starred(text, [*parts, *self._everywhere(text)])

    def in_prose(self, text: str) -> str:
        """A message without credentials."""
        return _starred(text, [*in_code(text), *self._everywhere(text)])

    def _everywhere(self, text: str) -> Iterator[Part]:
        from pedl2det_runtime.config.credentials import passwords_of_urls

        yield from passwords_of_urls(text)
        for value in self._known:
            for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
                yield found.span()


def _starred(text: str, parts: list[Part]) -> str:
    from pedl2det_runtime.config.credentials import STARS

    shown, done = "", 0
    for start, end in sorted(parts):
        if end > done:
            hidden = re.sub(r"\S[^\r\n]*", STARS, text[max(start, done) : end])
            shown += text[done:start] + hidden
            done = end
    return shown + text[done:]
