"""``[tool.pedl2det]`` in pyproject.toml, and which rules it and the command line leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pedl2det.commands.rules import find_rule
from pedl2det.engine.migration import Options
from pedl2det.errors import Pedl2DetError
from pedl2det.rules import every_rule

_FILE, _TABLE = "pyproject.toml", "tool.pedl2det"
#: Globs of files that no rule may write; rules that are left out, by id or name; the only rules
#: that are not left out.
_KEYS = ("exclude", "ignore", "select")


def chosen(paths: Sequence[Path], select: Sequence[str], ignore: Sequence[str]) -> Options:
    """Return what the nearest pyproject.toml and the command line leave out; the latter wins.

    Raises:
        Pedl2DetError: a rule is not known; pyproject.toml is not TOML, or has no such setting.
    """
    base, table = _settings(paths[0].resolve())
    words: Mapping[str, Sequence[str]]
    if select or ignore:
        words, where = {"select": select, "ignore": ignore}, "--"
    else:
        words, where = table, f"{base / _FILE}: {_TABLE}."
    selected, left = (
        {find_rule(word, f"{where}{key}").id for word in words.get(key, ())}
        for key in ("select", "ignore")
    )
    every = {rule.id for rule in every_rule()} if selected else set()
    return Options(
        left_out=frozenset((every - selected) | left),
        exclude=tuple(table.get("exclude", ())),
        base=base,
        given=tuple(path.resolve() for path in paths),
    )


def _settings(start: Path) -> tuple[Path, dict[str, list[str]]]:
    """The nearest directory at or above a path that has settings, and the settings."""
    import tomllib  # most runs find no such file

    for file in (directory / _FILE for directory in (start, *start.parents)):
        if not file.is_file():
            continue
        try:
            tool: Any = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        except (OSError, ValueError) as error:
            raise Pedl2DetError(f"{file}: cannot be read as TOML: {error}") from None
        table = tool.get("pedl2det") if isinstance(tool, dict) else None
        if table is None:
            continue
        if not isinstance(table, dict):
            raise Pedl2DetError(f"{file}: {_TABLE}: expected a table, got {table!r}")
        for key, value in table.items():
            if key not in _KEYS:
                known = ", ".join(_KEYS)
                raise Pedl2DetError(f"{file}: {_TABLE}.{key}: no such setting: expected {known}")
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise Pedl2DetError(
                    f"{file}: {_TABLE}.{key}: expected a list of texts, got {value!r}"
                )
        return file.parent, table
    return start, {}
