"""Mask credentials in reports, which users share; the patch of ``--diff`` is not masked.

:mod:`pedl2det_runtime.config.credentials` defines what a credential is. When in doubt, mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pedl2det.analysis.config import Config
from pedl2det.analysis.tree import read_bytes
from pedl2det.engine.migration import NewFile, Result
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.visible import printable

_CODE = (".py", ".ipynb")
_SHORTEST = 4  # characters of a value that is masked wherever it occurs


@dataclass(frozen=True)
class Hider:
    """Masks credentials."""

    #: directories of configs, whose credentials are masked wherever they occur
    directories: tuple[Path, ...] = ()

    @classmethod
    def of(cls, result: Result) -> Hider:
        """Return a hider for the credentials in the configs beside every file of a result."""
        about: list[NewFile | Finding] = [*result.files, *result.findings]
        return cls(tuple(dict.fromkeys(item.path.parent for item in about)))

    @cached_property
    def _known(self) -> list[str]:
        """The credentials of the configs, read on first use."""
        paths = [path for place in self.directories for path in sorted(place.glob("*.y*ml"))]
        return list({value for path in paths for value in _values_of(path)})

    def in_file(self, path: Path, text: str) -> str:
        """Mask credentials in the text of a file; its lines keep their numbers."""
        from pedl2det_runtime.config.credentials import masked, parts_in_code, secret_parts

        parts = [*(parts_in_code(text) if path.suffix in _CODE else secret_parts(text))]
        for value in self._known:
            whole = rf"(?<!\w){re.escape(value)}(?!\w)"
            parts += [match.span() for match in re.finditer(whole, text)]
        return masked(text, parts)

    def in_prose(self, text: str) -> str:
        """Mask credentials in a message or a line of code."""
        return self.in_file(Path("message.py"), text)


def findings_of(result: Result) -> Iterator[Finding]:
    """Every finding, the most urgent first, as it may be shown."""
    hider = Hider.of(result)
    for kind in reversed(Kind):
        for finding in result.of_kind(kind):
            yield replace(
                finding,
                message=printable(hider.in_prose(finding.message)),
                help=printable(hider.in_prose(finding.help)),
            )


def _values_of(path: Path) -> Iterator[str]:
    """Yield the credentials of a config line by line; none if it is unreadable."""
    from pedl2det_runtime.config.credentials import is_secret, mentions_secret, secret_parts

    try:
        text = read_bytes(path).decode("utf-8", errors="replace")
        config = Config.of(text) if mentions_secret(text) else None
    except Unreadable:
        return
    for entry in config.scalars() if config else ():
        value = entry.scalar or ""
        is_switch = entry.value.tag.rpartition(":")[2] in ("null", "bool")
        is_inside = any(map(is_secret, entry.path)) and not is_switch
        parts = [(0, len(value))] if is_inside else secret_parts(value)
        lines = "\n".join(value[start:end] for start, end in parts).split("\n")
        yield from (line.strip() for line in lines if len(line.strip()) >= _SHORTEST)
