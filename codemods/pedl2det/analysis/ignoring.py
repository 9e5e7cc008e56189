"""``.pedlignore`` and ``.detignore``: files that are not part of a trial.

They hold patterns of ``.gitignore``: the last pattern that matches a path decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pedl2det.analysis.tree import bytes_or_none

_NAMES = (".pedlignore", ".detignore")


@dataclass(frozen=True)
class Ignored:
    """The ignored files below one directory.

    Attributes:
        directory: the directory of the ignore file.
        patterns: regular expressions of paths relative to it, and whether each one ignores.
    """

    directory: Path
    patterns: tuple[tuple[re.Pattern[str], bool], ...] = ()

    @classmethod
    def of(cls, directory: Path) -> Ignored:
        """Read the ignore files of a directory."""
        patterns = []
        for name in _NAMES:
            text = (bytes_or_none(directory / name) or b"").decode("utf-8", errors="ignore")
            patterns += [made for line in text.splitlines() if (made := _pattern(line))]
        return cls(directory, tuple(patterns))

    def __contains__(self, path: Path) -> bool:
        if not self.patterns or not path.is_relative_to(self.directory):
            return False
        parts = path.relative_to(self.directory).parts
        for end in range(1, len(parts) + 1):
            name = "/".join(parts[:end]) + ("/" if end < len(parts) else "")
            ignored = False
            for pattern, ignores in self.patterns:
                if pattern.fullmatch(name):
                    ignored = ignores
            if ignored:
                return True
        return False


def _pattern(line: str) -> tuple[re.Pattern[str], bool] | None:
    """One line as a regular expression of a path; directories end in a slash."""
    text = line.rstrip()
    if not text or text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    text = text.lstrip("!").removeprefix("\\")
    only_directories = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    body = _translated(text.lstrip("/"))
    start = "" if anchored else "(?:.*/)?"
    return re.compile(f"{start}{body}{'/' if only_directories else '/?'}"), ignores


def _translated(text: str) -> str:
    """A pattern with ``**/``, ``**``, ``*``, ``?`` and ``[sets]`` as a regular expression."""
    found = re.escape(text).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    found = found.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    sets = re.compile(r"\\\[(!?)(.+?)\\\]")
    found = sets.sub(lambda one: f"[{one[1] and '^'}{one[2]}]", found)
    return found.replace(r"\-", "-")
