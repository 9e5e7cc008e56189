"""``[tool.pedl2det]`` in pyproject.toml, and which rules it and the command line leave out."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pedl2det.engine.options import Options
from pedl2det.errors import Pedl2DetError
from pedl2det.rules import every_rule

_FILE, _TABLE = "pyproject.toml", "tool.pedl2det"
_KEYS = ("exclude", "ignore", "select")


@dataclass(frozen=True)
class Settings:
    """What a project's pyproject.toml says.

    Attributes:
        base: its directory.
        exclude: globs of files that no rule may write.
        ignore: rules that are left out, by id or name.
        select: the only rules that are not left out; empty for all.
    """

    base: Path
    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    select: tuple[str, ...] = ()


def read_settings(path: Path) -> Settings:
    """Read the settings in the nearest pyproject.toml at or above a path that has some.

    Raises:
        Pedl2DetError: it is not TOML, or has something that is no setting.
    """
    start = path.resolve()
    for directory in (start, *start.parents):
        file = directory / _FILE
        if not file.is_file():
            continue
        table = _table(file)
        if table is not None:
            return _settings(file, table)
    return Settings(start)


def chosen(
    paths: Sequence[Path], settings: Settings, select: Sequence[str], ignore: Sequence[str]
) -> Options:
    """Return what the settings and the command line leave out; the command line wins.

    Raises:
        Pedl2DetError: a rule is not known.
    """
    if select or ignore:
        selected, left = _ids("--select", select), _ids("--ignore", ignore)
    else:
        where = f"{settings.base / _FILE}: {_TABLE}"
        selected = _ids(f"{where}.select", settings.select)
        left = _ids(f"{where}.ignore", settings.ignore)
    every = {rule.id for rule in every_rule()} if selected else set()
    return Options(
        left_out=frozenset((every - selected) | left),
        exclude=settings.exclude,
        base=settings.base,
        given=tuple(path.resolve() for path in paths),
    )


def _table(file: Path) -> dict[str, Any] | None:
    """The table in a file, if it has one."""
    import tomllib  # most runs find no such file

    try:
        tool = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        raise Pedl2DetError(f"{file}: cannot be read as TOML: {error}") from None
    found = tool.get("pedl2det") if isinstance(tool, dict) else None
    if found is None or isinstance(found, dict):
        return found
    raise Pedl2DetError(f"{file}: {_TABLE}: expected a table, got {found!r}")


def _settings(file: Path, table: dict[str, Any]) -> Settings:
    for key, value in table.items():
        if key not in _KEYS:
            known = ", ".join(_KEYS)
            raise Pedl2DetError(f"{file}: {_TABLE}.{key}: no such setting: expected {known}")
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise Pedl2DetError(f"{file}: {_TABLE}.{key}: expected a list of texts, got {value!r}")
    return Settings(file.parent, **{key: tuple(value) for key, value in table.items()})


def _ids(where: str, given: Sequence[str]) -> set[str]:
    """The ids of rules that are given by id, in any case, or by name."""
    if not given:
        return set()
    every = every_rule()
    known = {word: rule.id for rule in every for word in (rule.id.lower(), rule.name)}
    for word in given:
        if word.lower() not in known:
            near = difflib.get_close_matches(word, known, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise Pedl2DetError(f"{where}: {word}: no such rule: {hint}`pedl2det rules` lists them")
    return {known[word.lower()] for word in given}
