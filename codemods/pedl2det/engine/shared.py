"""Files that several trials share, through links or imports.

Each trial is migrated alone. A shared file is written only if every trial that has it wants the
same new bytes; otherwise the trials that want to write it are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pedl2det.analysis.project import Project
from pedl2det.engine.result import Result, Status
from pedl2det.findings import Finding, Kind

SCAN = "scan"
_MESSAGE = "trials share this file, and not every one of them wants the same new text of it"
_HELP = "give each trial its own copy, or finish the other trials first"


def settle(projects: Sequence[Project], parts: Sequence[Result]) -> list[Result]:
    """Return the parts of a result without those that would change a file under another trial.

    Args:
        projects: the projects, in order.
        parts: what becomes of each.
    """
    settled = list(parts)
    users = _users(projects)
    shared = {path: trials for path, trials in users.items() if len(trials) > 1}
    unsettled = bool(shared)
    while unsettled:
        unsettled = False
        for path, trials in shared.items():
            wanted = {trial: _written(settled[trial], path) for trial in trials}
            if len(set(wanted.values())) > 1:
                unsettled = True
                for trial in (trial for trial, data in wanted.items() if data is not None):
                    settled[trial] = _left(settled[trial], path)
    for number, project in enumerate(projects):
        files = list(project.modules.values())
        if not project.has_trial and all(_is_rewritten(settled, users, one) for one in files):
            settled[number] = Result(rewritten=settled[number].names)
    return settled


def _is_rewritten(parts: Sequence[Result], users: dict[Path, list[int]], file: Path) -> bool:
    """Whether a trial that has a file through a link rewrites it."""
    return any(_written(parts[user], _real(file)) is not None for user in users.get(file, ()))


def _users(projects: Sequence[Project]) -> dict[Path, list[int]]:
    """The trials that have a file, by its real path."""
    users: dict[Path, list[int]] = {}
    for number, project in enumerate(projects):
        if project.has_trial:
            for path in {_real(one) for one in (*project.modules.values(), *project.configs)}:
                users.setdefault(path, []).append(number)
    return users


def _written(part: Result, path: Path) -> bytes | None:
    """What a part of the result writes into a file."""
    return next((file.new for file in part.files if _real(file.path) == path), None)


def _left(part: Result, path: Path) -> Result:
    finding = next(
        Finding(Kind.LEFT, SCAN, file.path, 1, _MESSAGE, _HELP)
        for file in part.files
        if _real(file.path) == path
    )
    return replace(
        part,
        files=[],
        changes=[],
        findings=[*(one for one in part.findings if one.kind.is_left), finding],
        outcomes=[
            replace(one, status=Status.BEGUN, written=False, left=one.left + 1, files=())
            for one in part.outcomes
        ],
        rewritten=0,
        marked=part.marked + part.rewritten,
    )


def _real(path: Path) -> Path:
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError):  # a folder that may not be listed, links in a circle
        return path
