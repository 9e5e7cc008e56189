"""Migrate trials: find projects, run the rules, put their fixes together, check the result.

Nothing is written here: the result holds the new files and the findings.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pedl2det.analysis.discovery import discover
from pedl2det.analysis.project import Project
from pedl2det.analysis.tree import JSON, is_text
from pedl2det.engine.migration import Change, NewFile, Options, Outcome, Result, Status
from pedl2det.engine.one_project import migrate_project
from pedl2det.engine.settling import SCAN
from pedl2det.engine.texts import migrate_notebook, migrate_texts
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding, Kind

__all__ = ["Change", "NewFile", "Options", "Outcome", "Result", "Status", "in_order", "migrate"]

_STRAY = "this config counts in steps, but no trial was found that it belongs to"
_HELP = "put it beside its trial, or write entrypoint: module:Class"
_JSON = "this config counts in steps, but JSON files are not rewritten"
_AS_YAML = "save it as YAML beside its trial, and run migrate again"
_SHARED = "several trials share this file, but do not all rewrite it to the same text"
_APART = "give each trial its own copy, or finish the other trials first"


def migrate(paths: Sequence[Path], options: Options | None = None) -> Result:
    """Migrate every trial below some paths; nothing is written."""
    options = options or Options()
    discovered = discover(paths)
    work = functools.partial(
        migrate_project,
        reader=discovered.reader,
        options=options,
        directories=discovered.directories,
    )
    projects = list(discovered.projects)
    result = Result()
    for part in without_conflicts(projects, [*in_order(work, projects, options.jobs)]):
        result.add(part)
    for path in discovered.stray:
        why = (_JSON, _AS_YAML) if path.suffix == JSON else (_STRAY, _HELP)
        result.findings.append(Finding(Kind.LEFT, SCAN, path, 1, *why))
    reported = {finding.path for finding in result.findings}  # a trial may report unreadable ones
    for path, error in discovered.unreadable.items():
        if path not in reported:
            kind = Kind.NOTE if is_text(path.name) else Kind.BAD_INPUT
            result.findings.append(Finding(kind, SCAN, path, 1, str(error)))
    migrate_texts(discovered, result, options)
    for path in discovered.notebooks:
        migrate_notebook(path, result, options)
    result.files = list({file.path: file for file in result.files}.values())
    return result


# Files that several trials share, through links or imports. Each trial is migrated alone; a shared
# file is written only if every trial that has it wants the same new bytes.


def without_conflicts(projects: Sequence[Project], parts: Sequence[Result]) -> list[Result]:
    """Return the results of trials, without rewrites of shared files that not all trials want."""
    settled = list(parts)
    users = _users(projects)

    def new_contents(path: Path) -> dict[int, bytes | None]:
        return {trial: _written(settled[trial], path) for trial in users[path]}

    shared = [path for path, trials in users.items() if len(trials) > 1]
    while path := next((path for path in shared if len({*new_contents(path).values()}) > 1), None):
        for trial in [trial for trial, data in new_contents(path).items() if data is not None]:
            part = settled[trial]
            file = next(new.path for new in part.files if _real(new.path) == path)
            left = part.without(0, Finding(Kind.LEFT, SCAN, file, 1, _SHARED, _APART))
            settled[trial] = replace(left, rewritten=0, marked=part.marked + part.rewritten)
    for number, project in enumerate(projects):
        is_rewritten = all(  # by a trial that has the file through a link
            any(_written(settled[user], _real(file)) is not None for user in users.get(file, ()))
            for file in project.modules.values()
        )
        if not project.has_trial and is_rewritten:
            settled[number] = Result(rewritten=settled[number].names)
    return settled


def _users(projects: Sequence[Project]) -> dict[Path, list[int]]:
    """The numbers of the trials that have a file, by its real path."""
    users: dict[Path, list[int]] = {}
    for number, project in enumerate(projects):
        if project.has_trial:
            for path in {_real(file) for file in (*project.modules.values(), *project.configs)}:
                users.setdefault(path, []).append(number)
    return users


def _written(part: Result, path: Path) -> bytes | None:
    """The bytes that a part of the result writes into a file."""
    return next((file.new for file in part.files if _real(file.path) == path), None)


def _real(path: Path) -> Path:
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError):  # a directory that may not be listed, a cycle of links
        return path


# Several processes. They are forks, which inherit the projects and send results back.

_FEWEST = 3  # projects that justify a process

#: What a forked process has inherited: the work and the items.
_inherited: tuple[Callable[[Any], Any], list[Any]] | None = None


def in_order(work: Callable[[Any], Any], items: list[Any], jobs: int) -> Iterator[Any]:
    """Yield the result of some work on every item, in several processes if that pays.

    Results must be picklable. If a process is killed, an error ends all of them.
    """
    workers = min(jobs, len(items) // _FEWEST)
    if workers < 2:
        yield from map(work, items)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("fork")
    executor = ProcessPoolExecutor(workers, context, _begin, (work, items))
    try:
        yield from executor.map(_work_on, range(len(items)))
    except BrokenProcessPool:
        raise Pedl2DetError(
            "a process was killed (out of memory?); nothing was written; try --jobs 1"
        ) from None
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _begin(work: Callable[[Any], Any], items: list[Any]) -> None:
    """Set up a process that ends with its parent, but ignores Ctrl-C, which all processes get."""
    global _inherited
    _inherited = work, items
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()


def end_with_parent() -> None:
    """Have this process of `multiprocessing` end with its parent, however that ends."""
    import multiprocessing

    parent = multiprocessing.parent_process()

    def follow() -> None:
        parent.join()  # type: ignore[union-attr]
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work_on(index: int) -> Any:
    assert _inherited is not None
    work, items = _inherited
    return work(items[index])
