"""The scan: which directories hold an old trial, and what belongs together in each.

Most files are read and left after one question. A trial's directory is that of its config, or the
outermost package around its class; a file that uses the old API belongs to the nearest trial above
it, or to none.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from pathlib import Path

from pedl2det.facts.config import Config
from pedl2det.facts.links import link
from pedl2det.facts.occurrences import occurrences
from pedl2det.facts.project import CONTEXT_TRIAL_CLASSES, TRIAL_CLASSES, TrialProject, trial_classes
from pedl2det.facts.source import Source
from pedl2det.facts.tree import NOTEBOOK, YAML, files_in, is_python, python_files
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.notebook.scan import notebook_projects
from pedl2det.tables.legacy import CONFIG_IN_STEPS, mentions_legacy

SCAN = "scan"


def find_projects(files: list[Path]) -> list[TrialProject]:
    """Every directory with some files that uses an old API, a trial's whole directory at once."""
    # The files of trials are asked for more than once.
    read, config = functools.cache(Source.read), functools.cache(Config.read)
    code = [file for file in files if is_python(file)]
    hits = [file for file in code if mentions_legacy(file.read_bytes())]
    trials = {_home(file) for file in hits if _defines_trial(file, read)}
    in_steps = [file for file in files if file.suffix in YAML and counts_in_steps(file, config)]
    trials |= {file.parent for file in in_steps if _holds_trial(file.parent, read)}
    trials |= {
        directory
        for directory in (Path(*parts) for parts in {file.parts[:-1] for file in files})
        if any(_names_script(file, config) for file in _configs(directory))
    }
    outside = (file for file in hits if not trials.intersection(file.parents))
    others = {file.parent for file in outside if _uses_legacy(file, read)}
    roots = trials | {
        directory for directory in others if not others.intersection(directory.parents)
    }
    projects = [_read(root, roots - {root}, read, config) for root in sorted(roots)]
    projects += [_stray(file) for file in in_steps if file.parent not in roots]
    notebooks = [file for file in files if file.suffix == NOTEBOOK]
    for project in notebook_projects(notebooks, projects):
        if not project.findings and project.occurrences:
            project.findings += contract(project)
        projects.append(project)
    return [
        project
        for project in projects
        if project.occurrences
        or project.skipped
        or project.findings
        or project.is_in_steps
        or project.script
    ]


def counts_in_steps(file: Path, read: Callable[[Path], Config] = Config.read) -> bool:
    """Whether a file is an experiment config whose lengths are steps."""
    data = file.read_bytes()
    if not any(word in data for word in CONFIG_IN_STEPS):
        return False
    with contextlib.suppress(Unreadable):
        config = read(file)
        return config.is_experiment and bool(config.legacy_keys())
    return False


def _stray(file: Path) -> TrialProject:
    message = "this config counts in steps, and no trial stands beside it: put it beside its trial"
    finding = Finding(Kind.PERSON, SCAN, file, 1, message)
    return TrialProject(file.parent, findings=[finding])


def _holds_trial(directory: Path, read: Callable[[Path], Source]) -> bool:
    """Whether a file at the top of a directory defines a Keras trial of Determined."""
    return any(
        b"TFKerasTrial" in file.read_bytes() and _defines_trial(file, read)
        for file in sorted(directory.glob("*.py"))
        if file.is_file()
    )


def read_project(directory: Path) -> TrialProject:
    """Read everything that belongs to the trial in a directory."""
    return _read(directory, set(), Source.read, Config.read)


def _defines_trial(file: Path, read: Callable[[Path], Source]) -> bool:
    try:
        return bool(trial_classes(read(file), TRIAL_CLASSES | CONTEXT_TRIAL_CLASSES))
    except Unreadable:
        return False


def _uses_legacy(file: Path, read: Callable[[Path], Source]) -> bool:
    """Whether a file that mentions an old API names it; one that cannot be read may."""
    try:
        return any(True for _ in occurrences(read(file)))
    except Unreadable:
        return True


def _home(file: Path) -> Path:
    """The directory of the trial that a file defines."""
    directory = file.parent
    while not _configs(directory) and (directory.parent / "__init__.py").exists():
        directory = directory.parent
    return directory


def _names_script(file: Path, read: Callable[[Path], Config]) -> bool:
    if b"script" not in file.read_bytes():
        return False
    try:
        config = read(file)
    except Unreadable:
        return False
    return config.is_experiment and config.entry("entrypoint", "script") is not None


def _configs(directory: Path) -> list[Path]:
    return files_in(directory, YAML)


def _read(
    directory: Path,
    others: set[Path],
    read: Callable[[Path], Source],
    read_config: Callable[[Path], Config],
) -> TrialProject:
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
    link(project.sources)
    for file in _configs(directory):
        _read_config(project, file, read_config)
    if not project.findings and (
        project.occurrences or project.is_in_steps or project.script_names
    ):
        project.findings += contract(project)
    return project


def _contract_of_script(project: TrialProject) -> Iterator[Finding]:
    """What must hold where a config names a script."""
    config, entry = next(
        (config, entry)
        for config in project.configs
        if (entry := config.entry("entrypoint", "script"))
    )
    message = None
    if len(project.script_names) > 1:
        names = ", ".join(project.script_names)
        message = f"the configs name several scripts ({names}): give each its own directory"
    elif project.trials:
        _, node = project.trials[0]
        message = f"a script beside the trial {node.name}: give each its own directory"
    elif project.script is None:
        message = f"entrypoint.script: {project.script_names[0]}: no such file in this directory"
    if message is not None:
        yield Finding(Kind.PERSON, SCAN, config.path, entry.line, message)


def _read_config(project: TrialProject, file: Path, read: Callable[[Path], Config]) -> None:
    try:
        config = read(file)
    except Unreadable as error:
        if file.stem == "const" or b"searcher" in file.read_bytes():
            project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, error.line, str(error)))
        return
    if config.is_experiment:
        project.configs.append(config)
    elif file.stem == "const":
        said = "expected an experiment config, with hyperparameters and a searcher"
        project.findings.append(Finding(Kind.BAD_INPUT, SCAN, file, 1, said))


def _without_trial(project: TrialProject) -> Finding:
    first = project.occurrences[0]
    place = SCAN, first.source.path, first.node.lineno
    other = next((one for one in project.occurrences if _is_of_another_framework(one.name)), None)
    if other is not None:
        place = SCAN, other.source.path, other.node.lineno
        message = f"{other.name}: a trial of another framework; migrate rewrites those of Keras"
        return Finding(Kind.PERSON, *place, message)
    is_package = "__init__" in project.sources or project.configs
    kind = Kind.BAD_INPUT if is_package else Kind.PERSON
    where = "notebook" if project.is_notebook else "directory"
    expected = "expected a subclass of a trial class of pedl.frameworks.keras"
    return Finding(kind, *place, f"{first.name}: no trial in this {where}: {expected}")


def _is_of_another_framework(name: str) -> bool:
    parts = name.split(".")
    return parts[:2] == ["pedl", "frameworks"] and parts[2:3] not in ([], ["keras"], ["util"])


def contract(project: TrialProject) -> Iterator[Finding]:
    """What must hold of a directory for it to be one trial."""
    if project.script_names:
        yield from _contract_of_script(project)
    elif not project.trials and project.occurrences:
        yield _without_trial(project)
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
