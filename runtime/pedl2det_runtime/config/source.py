"""Where the keys of a config were written: file and line, or ``--set``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det_runtime.config.yaml12 import KeyPath


@dataclass(frozen=True)
class Source:
    """Where the keys of a config were written.

    Attributes:
        path: the YAML file; None for a mapping in code.
        lines: the line of each key path, from 1.
        overrides: the key paths that ``--set`` names.
        added: those of them that the file does not have.
    """

    path: Path | None = None
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    overrides: tuple[KeyPath, ...] = ()
    added: tuple[KeyPath, ...] = ()

    def location(self, keys: KeyPath) -> str:
        """Return ``file:line: key.path``; a missing key gets the line of its parent."""
        name = ".".join(map(str, keys))
        if self.path is None or not keys:
            return name or str(self.path or "config")
        if any(keys[: len(override)] == override for override in self.overrides):
            return f"--set {name}"
        known = keys
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.path}:{self.lines.get(known, 1)}: {name}"

    def has(self, keys: KeyPath) -> bool:
        """Return whether the file or ``--set`` has a key; always true for a mapping in code."""
        return (
            self.path is None
            or keys in self.lines
            or any(override[: len(keys)] == keys for override in self.overrides)
        )
