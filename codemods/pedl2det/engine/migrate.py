"""From paths to new files and to what there is to say; nothing is written here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pedl2det.analysis.discovery import Discovered, discover
from pedl2det.analysis.tree import is_text
from pedl2det.engine.jobs import in_order
from pedl2det.engine.one_project import migrate_project
from pedl2det.engine.options import Options
from pedl2det.engine.result import Result
from pedl2det.engine.settling import SCAN
from pedl2det.engine.shared import settle
from pedl2det.engine.texts import migrate_texts
from pedl2det.findings import Finding, Kind

Watch = Callable[[Iterator[Result], int], Iterable[Result]]

_STRAY = "this config counts in steps, and no trial was found that it belongs to"
_AMBIGUOUS = "this config counts in steps, and it may belong to several trials"
_HELP = "put it beside its trial, or write entrypoint: module:Class"


def migrate(
    paths: Sequence[Path],
    options: Options | None = None,
    watch: Watch = lambda parts, total: parts,  # noqa: ARG005
) -> Result:
    """Migrate every trial below some paths; nothing is written.

    Args:
        paths: files and directories.
        options: what the user asked for.
        watch: is given the parts of the result as they come, and their number, and hands them on.

    Raises:
        Pedl2DetError: a process was killed.
    """
    options = options or Options()
    discovered = discover(paths)
    work = functools.partial(
        migrate_project,
        reader=discovered.reader,
        options=options,
        directories=discovered.directories,
    )
    projects = list(discovered.projects)
    parts = list(watch(in_order(work, projects, options.jobs), len(projects)))
    result = Result()
    for part in settle(projects, parts):
        result.add(part)
    result.findings += _configs(discovered)
    result.findings += _unreadable(discovered, {one.path for one in result.findings})
    migrate_texts(discovered, result, options)
    result.files = list({file.path: file for file in result.files}.values())
    return result


def _unreadable(discovered: Discovered, told: set[Path]) -> Iterator[Finding]:
    """Files and folders that cannot be read, and that no trial has told of."""
    for path, error in discovered.unreadable.items():
        kind = Kind.NOTE if is_text(path) else Kind.BAD_INPUT
        if path not in told:
            yield Finding(kind, SCAN, path, 1, str(error))


def _configs(discovered: Discovered) -> Iterator[Finding]:
    """Configs that no trial was found for."""
    for paths, message in ((discovered.stray, _STRAY), (discovered.ambiguous, _AMBIGUOUS)):
        for path in paths:
            yield Finding(Kind.LEFT, SCAN, path, 1, message, _HELP)
