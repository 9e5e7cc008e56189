"""Find the projects below some paths: which files belong to which trial.

Every file is read once, and most are dismissed after a search for a few words in their bytes. A
trial's home is the directory of its config, or the outermost package around its class. The modules
of a project are those that the trial imports, directly or not, and the files beside them that use
these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis import membership, tree
from pedl2det.analysis.config import Config
from pedl2det.analysis.project import SUPPORT, Project, Reader
from pedl2det.findings import Unreadable

#: Words in texts that may have to change: the old API, and packages pinned for it.
_WORDS = (b"pedl", b"determined", b"tensorflow", b"keras", b"numpy", b"h5py", b"protobuf")


@dataclass(frozen=True)
class Discovered:
    """The projects and other files below some paths."""

    projects: tuple[Project, ...]  #: the projects, by their directories
    texts: tuple[Path, ...]  #: the other files that may name the old API
    #: Configs that count in steps and are JSON, or do not belong to exactly one trial.
    stray: tuple[Path, ...]
    directories: tuple[Path, ...]  #: the directories in which files may be written
    notebooks: tuple[Path, ...]  #: the notebooks that name the old API or its commands
    unreadable: Mapping[Path, Unreadable]  #: why some files and folders cannot be read
    reader: Reader = field(compare=False)  #: the files that were read


@dataclass
class _Files:
    """The files by their content."""

    python: list[Path] = field(default_factory=list)
    old: list[Path] = field(default_factory=list)  #: Python that may use an old API
    trials: list[Path] = field(default_factory=list)  #: Python that may define a trial
    native: list[Path] = field(default_factory=list)  #: Python that may train by the Native API
    notebooks: list[Path] = field(default_factory=list)
    configs: list[Path] = field(default_factory=list)  #: YAML that may be an experiment config
    texts: list[Path] = field(default_factory=list)
    unreadable: dict[Path, Unreadable] = field(default_factory=dict)

    def add(self, file: Path) -> None:
        """Sort a file in, by its name and by words in its bytes."""
        name = file.name
        if name == SUPPORT:
            return
        is_yaml = name.endswith(tree.YAML)
        try:
            data = tree.read_bytes(file)
        except Unreadable as error:
            self.unreadable[file] = error
            if is_yaml:
                self.configs.append(file)  # it belongs to the trial around it
            return
        if tree.is_python(name):
            self.python.append(file)
            names_early = b"determined" in data
            is_old = (names_early or b"pedl" in data) and names.mentions_legacy(data)
            if is_old:
                self.old.append(file)
            if (is_old and b"Trial" in data) or (names_early and b"TFKerasTrial" in data):
                self.trials.append(file)
            if names_early and b"init" in data and b".fit" in data:
                self.native.append(file)
        elif name.endswith(tree.NOTEBOOK):
            self.notebooks.append(file)
        elif (is_yaml or name.endswith(tree.JSON)) and _is_config(data):
            self.configs.append(file)
        is_environment = is_yaml and name.startswith("environment")
        if name == "setup.py" or is_environment or tree.is_text(name):
            lowered = data.lower()
            if any(word in lowered for word in _WORDS):
                self.texts.append(file)


def discover(paths: Sequence[Path]) -> Discovered:
    """Find the projects below some paths."""
    reader, files = Reader(), _Files()
    for file in tree.files_below(paths):
        files.add(file)
    trials = membership.homes_of_trials(files.trials, files.python, files.configs, reader)
    homes = {*trials.values()} | membership.homes_of_scripts(files.configs, reader)
    scripts = [
        file
        for file in files.native
        if not _is_below(file, [*homes])
        and (source := reader.source_or_none(file)) is not None
        and any(membership.calls_of(source, membership.INITS))
    ]
    homes |= {file.parent for file in scripts}
    directories = tuple(sorted({path.resolve() for path in paths if path.is_dir()}))
    outside = sorted(home for home in homes if not _is_below(home, directories))
    # A path may be a single file, with its config beside it.
    beside = [file for file in tree.files_below(outside) if file.suffix in tree.YAML]
    files.configs += [file for file in beside if _is_config(tree.bytes_or_none(file) or b"")]
    configs_of, stray = assign(sorted(set(files.configs)), sorted(homes), directories, reader)
    projects = []
    for home in sorted(homes):
        inner = [other for other in homes if other != home and other.is_relative_to(home)]
        old = [
            file for file in files.old if file.is_relative_to(home) and not _is_below(file, inner)
        ]
        own_scripts = tuple(script for script in scripts if script.parent == home)
        configs = configs_of.get(home, ())
        entries = [*filter(None, map(reader.config_or_none, configs))]
        top = max(
            (directory for directory in directories if home.is_relative_to(directory)), default=home
        )
        defining = [*(file for file in trials if trials[file] == home), *own_scripts]
        project = membership.members(home, defining, old, entries, reader, inner, top)
        projects.append(replace(project, configs=configs, scripts=own_scripts))
    projects += _without_trial(files.old, projects, reader)
    return Discovered(
        tuple(with_notebooks(projects, files.notebooks, reader)),
        tuple(files.texts),
        stray,
        (*directories, *outside),
        tuple(notebook for notebook in files.notebooks if b"pedl" in notebook.read_bytes()),
        files.unreadable,
        reader,
    )


def _is_config(data: bytes) -> bool:
    return b"searcher" in data and any(
        word in data for word in (b"hyperparameters", b"entrypoint", b"max_steps")
    )


def _is_below(path: Path, directories: Sequence[Path]) -> bool:
    return any(path.is_relative_to(directory) for directory in directories)


def _without_trial(
    old: Sequence[Path], projects: Sequence[Project], reader: Reader
) -> Iterator[Project]:
    """Files with old names that belong to no trial, by directory."""
    taken = {file for project in projects for file in project.modules.values()}
    loose: dict[Path, dict[str, Path]] = {}
    for file in old:
        source = reader.source_or_none(file)  # None if it is Python 2
        if file not in taken and (source is None or membership.uses_legacy(source)):
            loose.setdefault(file.parent, {})[file.stem] = file
    for directory, modules in sorted(loose.items()):
        yield Project(directory, directory, modules, has_trial=False)


def assign(
    files: Sequence[Path], homes: Sequence[Path], tops: Sequence[Path], reader: Reader
) -> tuple[dict[Path, tuple[Path, ...]], tuple[Path, ...]]:
    """Give every experiment config to a trial.

    A config in a trial's directory belongs to that trial. Another one belongs to the trial that
    its entrypoint names, or to the only one near it. The search ends at the ``tops``. Return the
    configs of each trial's directory, and the stray ones.
    """
    assigned: dict[Path, list[Path]] = {}
    stray: list[Path] = []
    for file in files:
        config = reader.config_or_none(file)
        if config is None:  # its reader reports what is wrong with it
            candidates = _around(file, homes)
        elif config.is_experiment:
            is_json = file.suffix == tree.JSON
            candidates = [] if is_json else _candidates(file, config, homes, tops)
        else:
            continue
        if len(candidates) == 1:
            assigned.setdefault(candidates[0], []).append(file)
        elif config is not None and config.counts_steps:
            stray.append(file)
    return {home: tuple(configs) for home, configs in assigned.items()}, tuple(stray)


def _candidates(
    file: Path, config: Config, homes: Sequence[Path], tops: Sequence[Path]
) -> list[Path]:
    """The trials that a config may belong to; only one if that is clear."""
    around = _around(file, homes)
    if around:
        return around
    name = config.trial.partition(":")[0]
    beside = (tree.bytes_or_none(sibling) or b"" for sibling in file.parent.glob("*.py"))
    if not name and any(b"Trial" in data and names.mentions_legacy(data) for data in beside):
        return []  # it belongs to a trial that is not a Keras trial
    nearest: list[Path] = []
    for directory in file.parents:
        below = [home for home in homes if home.is_relative_to(directory)]
        named = [home for home in below if name and _holds(home, directory, name)]
        if len(named) == 1 or (len(below) == 1 and (not name or named)):
            return named or below
        nearest = nearest or named or below
        if directory in tops:
            break
    return nearest


def _around(file: Path, homes: Sequence[Path]) -> list[Path]:
    """The innermost trial around a file, in a list; empty if there is none."""
    around = [home for home in homes if file.is_relative_to(home)]
    return [max(around, key=lambda home: len(home.parts))] if around else []


def _holds(home: Path, directory: Path, name: str) -> bool:
    """Whether a trial's directory holds the module of an entrypoint."""
    file = membership.module(home, name) or membership.module(directory, name)
    return file is not None and file.is_relative_to(home)


def with_notebooks(
    projects: Sequence[Project], files: Sequence[Path], reader: Reader
) -> Iterator[Project]:
    """Add notebooks to the projects whose modules they import, or as projects of their own."""
    updated = list(projects)
    for file in files:
        source = reader.source_or_none(file)
        has_trial = source is not None and bool(membership.trial_classes(source))
        near = None if has_trial else _nearest(file, updated)
        if near is not None and _imports(file, near):
            updated[updated.index(near)] = replace(near, notebooks=(*near.notebooks, file))
        elif names.mentions_legacy(file.read_bytes()) and _matters(file, reader):
            modules = {file.stem: file}
            if has_trial:
                modules = membership.reached([file], file.parent, reader)
            needed = frozenset(modules.values())
            updated.append(Project(file.parent, file.parent, modules, needed, has_trial=has_trial))
    taken = {path for project in updated if project.has_trial for path in project.modules.values()}
    for project in updated:
        if project.has_trial:
            yield project
        elif loose := {name: path for name, path in project.modules.items() if path not in taken}:
            yield replace(project, modules=loose)


def _nearest(file: Path, projects: Sequence[Project]) -> Project | None:
    """The project of the nearest trial around a notebook."""
    around = [
        project
        for project in projects
        if project.has_trial and file.is_relative_to(project.home)
        if any(path.suffix != tree.NOTEBOOK for path in project.modules.values())
    ]
    return max(around, key=lambda project: len(project.home.parts), default=None)


def _imports(file: Path, project: Project) -> bool:
    """Whether a notebook may import a module of a project."""
    words = {name.partition(".")[0] for name in project.modules} - {"__init__"}
    words |= {project.home.name}
    text = file.read_bytes().decode("utf-8", errors="replace")
    pattern = "|".join(re.escape(word) for word in sorted(words))
    return bool(re.search(rf"\b(?:from|import)\s+{membership.OTHERS}\.?(?:{pattern})\b", text))


def _matters(file: Path, reader: Reader) -> bool:
    """Whether a notebook uses the old API, or may use it and cannot be read."""
    from pedl2det.analysis.notebook import OLD_API, Document

    try:
        document = Document.of(file, file.read_bytes())
    except Unreadable:
        return True
    source = reader.source_or_none(file)
    return (source is not None and membership.uses_legacy(source)) or any(
        cell.is_code and OLD_API.search(cell.source) for cell in document.cells
    )
