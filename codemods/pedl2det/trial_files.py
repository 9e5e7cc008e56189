"""The files of a directory that a trial imports, from where its config says that it begins."""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pedl2det.findings import Unreadable
from pedl2det.legacy import mentions_legacy
from pedl2det.project import occurrences
from pedl2det.source import Source


def imports_legacy(path: Path, entrypoint: Any, entrypoints: dict[str, str] | None) -> bool:
    """Whether a trial uses the old API, itself or in what it imports.

    Args:
        path: the trial's directory, or its only file.
        entrypoint: ``entrypoint`` of its config.
        entrypoints: ``entrypoints`` of its config.
    """
    home = path.parent if path.is_file() else path
    first = [path] if path.is_file() else list(_first(home, entrypoint, entrypoints))
    return any(_uses_legacy(file) for file in _imported(home, first))


def _first(home: Path, entrypoint: Any, entrypoints: dict[str, str] | None) -> Iterator[Path]:
    """The files with which a trial begins."""
    if isinstance(entrypoint, dict):
        yield home / str(entrypoint.get("script"))
        return
    places = [*(entrypoints or {}).values()]
    words = entrypoint if isinstance(entrypoint, list) else [entrypoint or ""]
    places += [word for words in map(str, words) for word in words.split()]
    modules = {match[1] for place in places if (match := re.fullmatch(r"([\w.]*):[\w.]+", place))}
    for module in modules or {""}:
        yield from _files(home, module)


def _imported(home: Path, first: list[Path]) -> set[Path]:
    known: set[Path] = set()
    left = [file for file in first if file.is_file()]
    while left:
        file = left.pop()
        if file not in known:
            known.add(file)
            left += _imports(home, file)
    return known


def _imports(home: Path, file: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return  # the run itself says what is wrong
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(home, alias.name)
        elif isinstance(node, ast.ImportFrom):
            root = file.parents[node.level - 1] if node.level else home
            for name in (node.module or "", *(_joined(node.module, a.name) for a in node.names)):
                yield from _files(root, name)


def _joined(module: str | None, name: str) -> str:
    return f"{module}.{name}" if module else name


def _files(root: Path, module: str) -> Iterator[Path]:
    """The files that importing a module runs: its packages and itself."""
    parts = module.split(".") if module else []
    for end in range(0 if not parts else 1, len(parts) + 1):
        at = root.joinpath(*parts[:end])
        for file in (at / "__init__.py", at.with_name(f"{at.name}.py")):
            if file.is_file():
                yield file


def _uses_legacy(file: Path) -> bool:
    if mentions_legacy(file.read_bytes()):
        with contextlib.suppress(Unreadable):
            return next(occurrences(Source.read(file)), None) is not None
    return False
