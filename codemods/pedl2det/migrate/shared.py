"""Files that several trials share through links: none is rewritten under a trial that stays.

Each trial is planned alone. A file behind links is written only if every trial that has it wants
the same new bytes; else the trials that want to write it are left, and so on through all they
share.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.migrate.result import Result
from pedl2det.migrate.scan import SCAN

_MESSAGE = (
    "trials share this file through links, and not every one of them can have it rewritten in the "
    "same way: give each its own copy"
)


def settle(projects: list[TrialProject], parts: list[Result]) -> list[Result]:
    """The parts of a result, without those that would change a file under another trial.

    Args:
        projects: the projects, in order.
        parts: what is planned for each.
    """
    parts = list(parts)
    users = _users(projects)
    shared = {path: trials for path, trials in users.items() if len(trials) > 1}
    unsettled = bool(shared)
    while unsettled:
        unsettled = False
        for path, trials in shared.items():
            wanted = {trial: _written(parts[trial], path) for trial in trials}
            if len(set(wanted.values())) > 1:
                unsettled = True
                for trial in (trial for trial, data in wanted.items() if data is not None):
                    parts[trial] = _left(parts[trial], path)
    for number, project in enumerate(projects):
        files = {found.source.path for found in project.occurrences}
        if (
            files
            and not project.trials
            and all(_is_rewritten(parts, users, file) for file in files)
        ):
            part = parts[number]
            names = part.refused + part.suppressed
            parts[number] = replace(part, findings=[], rewritten=names, refused=0, suppressed=0)
    return parts


def _is_rewritten(parts: list[Result], users: dict[Path, list[int]], file: Path) -> bool:
    """Whether trials that have a file through links have it rewritten."""
    return any(_written(parts[user], file) is not None for user in users.get(file, ()))


def _users(projects: list[TrialProject]) -> dict[Path, list[int]]:
    """The trials that have a file, by its real path."""
    users: dict[Path, list[int]] = {}
    for number, project in enumerate(projects):
        if project.trials:
            paths = [source.path for source in project.sources.values()]
            paths += [config.path for config in project.configs]
            for path in {_real(path) for path in paths}:
                users.setdefault(path, []).append(number)
    return users


def _written(part: Result, path: Path) -> bytes | None:
    """What a part of the result writes into a file."""
    return next((file.new for file in part.files if _real(file.path) == path), None)


def _left(part: Result, path: Path) -> Result:
    finding = next(
        Finding(Kind.PERSON, SCAN, file.path, 1, _MESSAGE)
        for file in part.files
        if _real(file.path) == path
    )
    return replace(
        part,
        files=[],
        changes=[],
        findings=[*part.findings, finding],
        migrated=0,
        rewritten=0,
        refused=part.rewritten,
    )


def _real(path: Path) -> Path:
    return path.resolve() if path.is_symlink() else path
