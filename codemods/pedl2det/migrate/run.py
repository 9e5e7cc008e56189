"""The way of the code: paths -> scan -> plan -> edit -> check -> result, all before any writing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pedl2det.facts.tree import files_below, is_python
from pedl2det.migrate.choice import EVERYTHING, Choice
from pedl2det.migrate.jobs import in_order
from pedl2det.migrate.one_trial import migrate_or_leave
from pedl2det.migrate.result import Result
from pedl2det.migrate.scan import find_projects
from pedl2det.migrate.shared import settle
from pedl2det.migrate.whole_files import migrate_files

Watch = Callable[[Iterator[Result], int], Iterable[Result]]


def migrate(
    paths: list[Path],
    choice: Choice = EVERYTHING,
    jobs: int = 1,
    watch: Watch = lambda parts, total: parts,  # noqa: ARG005
) -> Result:
    """Plan the migration of every trial below some paths; nothing is written.

    Args:
        paths: files and directories.
        choice: what the user left out.
        jobs: no more processes than this.
        watch: is given the parts of the result as they come, and their number, and hands them on.

    Raises:
        Pedl2DetError: a process was killed.
    """
    files = files_below(paths)
    projects = find_projects(files)
    work = functools.partial(migrate_or_leave, choice=choice)
    parts = list(watch(in_order(work, projects, jobs), len(projects)))
    result = Result()
    for part in settle(projects, parts):
        result.add(part)
    migrate_files([file for file in files if not is_python(file)], result, choice)
    return result
