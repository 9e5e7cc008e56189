"""The scan: which directories hold an old trial, and what belongs together in each.

Most files are read and left after one question. A trial's directory is that of its config, or the
outermost package around its class; a file that uses the old API belongs to the nearest trial above
it, or to none.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.legacy import mentions_legacy
from pedl2det.project import TrialProject, trial_classes
from pedl2det.source import Source
from pedl2det.yaml_edit import Config

SCAN = "scan"

_PRUNED = {".git", ".hg", ".venv", "venv", ".nox", ".tox", "node_modules", "__pycache__"}


def find_projects(paths: list[Path]) -> list[TrialProject]:
    """Every directory below some paths that uses the old API, a trial's whole directory at once."""
    read = functools.cache(Source.read)  # the files of trials are asked for twice
    files = {file.resolve() for path in paths for file in python_files(path)}
    hits = sorted(file for file in files if mentions_legacy(file.read_bytes()))
    trials = {_home(file) for file in hits if _defines_trial(file, read)}
    others = {file.parent for file in hits if not trials.intersection(file.parents)}
    roots = trials | {
        directory for directory in others if not others.intersection(directory.parents)
    }
    projects = [_read(root, roots - {root}, read) for root in sorted(roots)]
    return [project for project in projects if project.occurrences or project.findings]


def python_files(path: Path) -> Iterator[Path]:
    """The Python files at or below a path, in order, without environments and caches."""
    if path.is_file():
        yield path
        return
    for directory, subdirectories, files in os.walk(path):
        subdirectories[:] = sorted(set(subdirectories) - _PRUNED)
        found = (Path(directory, name) for name in sorted(files) if name.endswith(".py"))
        yield from (file for file in found if file.is_file())  # no dangling link


def read_project(directory: Path) -> TrialProject:
    """Read everything that belongs to the trial in a directory."""
    return _read(directory, set(), Source.read)


def _defines_trial(file: Path, read: Callable[[Path], Source]) -> bool:
    try:
        return bool(trial_classes(read(file)))
    except Unreadable:
        return False


def _home(file: Path) -> Path:
    """The directory of the trial that a file defines."""
    directory = file.parent
    while not _configs(directory) and (directory.parent / "__init__.py").exists():
        directory = directory.parent
    return directory


def _configs(directory: Path) -> list[Path]:
    found = [*directory.glob("*.yaml"), *directory.glob("*.yml")]
    return sorted(file for file in found if file.is_file())


def _read(directory: Path, others: set[Path], read: Callable[[Path], Source]) -> TrialProject:
    """Read a trial's directory without the directories of other trials in it."""
    project = TrialProject(directory)
    for file in python_files(directory):
        if others.intersection(file.parents) - set(directory.parents):
            continue
        parts = file.relative_to(directory).with_suffix("").parts
        if parts[-1] == "__init__" and len(parts) > 1:
            parts = parts[:-1]  # a package goes by its own name
        try:
            project.sources[".".join(parts)] = read(file)
        except Unreadable as error:
            project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error)))
    for file in _configs(directory):
        _read_config(project, file)
    if not project.findings and project.occurrences:
        project.findings += _contract(project)
    return project


def _read_config(project: TrialProject, file: Path) -> None:
    try:
        config = Config.read(file)
    except Unreadable as error:
        if file.stem == "const" or b"searcher" in file.read_bytes():
            project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error)))
        return
    if config.is_experiment:
        project.configs.append(config)
    elif file.stem == "const":
        said = "expected an experiment config, with hyperparameters and a searcher"
        project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, 1, said))


def _contract(project: TrialProject) -> Iterator[Finding]:
    """What must hold of a directory for it to be one trial."""
    if not project.trials:
        first = project.occurrences[0]
        is_package = "__init__" in project.sources or project.configs
        yield Finding(
            Kind.BAD_INPUT if is_package else Kind.PERSON,
            SCAN,
            first.source.path,
            first.node.lineno,
            f"{first.name}: no trial in this directory: expected a subclass of "
            "pedl.frameworks.keras.TFKerasTrial",
        )
    elif len(project.trials) > 1:
        source, node = project.trials[1]
        names = ", ".join(trial.name for _, trial in project.trials)
        yield Finding(
            Kind.BAD_INPUT,
            SCAN,
            source.path,
            node.lineno,
            f"more than one trial in this directory ({names}): give each its own directory",
        )
