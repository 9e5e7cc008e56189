"""Find the projects below some paths: which files belong to which trial.

Every file is read once and most leave after a search for a few words in its bytes. A trial's home
is the directory of its config, or the outermost package around its class. The modules of a project
are those that the trial imports, however far round, and the files beside them that use these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis import native
from pedl2det.analysis.configs_of import assign
from pedl2det.analysis.homes import homes_of_scripts, homes_of_trials, uses_legacy
from pedl2det.analysis.membership import members
from pedl2det.analysis.notebook.discovery import with_notebooks
from pedl2det.analysis.project import SUPPORT, Project
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.tree import (
    NOTEBOOK,
    YAML,
    bytes_or_none,
    files_below,
    is_python,
    is_text,
    read_bytes,
)
from pedl2det.findings import Unreadable

#: What texts name that may have to change: the old API, and what it was pinned with.
_WORDS = (b"pedl", b"determined", b"tensorflow", b"keras", b"numpy", b"h5py", b"protobuf")


@dataclass(frozen=True)
class Discovered:
    """What there is below some paths.

    Attributes:
        projects: the projects, by their directories.
        texts: the other files that may name the old API.
        stray: configs that count in steps and belong to no trial, or to one of several.
        directories: the directories in which files may be written.
        notebooks: the notebooks that name the old API or its commands.
        unreadable: why some files and folders cannot be read.
        reader: the files that were read on the way.
    """

    projects: tuple[Project, ...]
    texts: tuple[Path, ...]
    stray: tuple[Path, ...]
    directories: tuple[Path, ...]
    notebooks: tuple[Path, ...]
    unreadable: Mapping[Path, Unreadable]
    reader: Reader = field(compare=False)


@dataclass
class _Files:
    """The files by what their bytes say."""

    python: list[Path] = field(default_factory=list)
    old: list[Path] = field(default_factory=list)  #: Python that may use an old API
    trials: list[Path] = field(default_factory=list)  #: Python that may define a trial
    native: list[Path] = field(default_factory=list)  #: Python that may train by the Native API
    notebooks: list[Path] = field(default_factory=list)
    configs: list[Path] = field(default_factory=list)  #: YAML that may be an experiment config
    texts: list[Path] = field(default_factory=list)
    unreadable: dict[Path, Unreadable] = field(default_factory=dict)

    def add(self, file: Path) -> None:
        """File a path by its name and by a search for words in its bytes."""
        if file.name == SUPPORT:
            return
        try:
            data = read_bytes(file)
        except Unreadable as error:
            self.unreadable[file] = error
            if file.suffix in YAML:
                self.configs.append(file)  # of the trial in whose directory it is
            return
        is_environment = file.name.startswith("environment") and file.suffix in YAML
        if is_python(file):
            self.python.append(file)
            is_old = names.mentions_legacy(data)
            if is_old:
                self.old.append(file)
            if (is_old and b"Trial" in data) or (b"TFKerasTrial" in data and b"determined" in data):
                self.trials.append(file)
            if native.may_be_native(data):
                self.native.append(file)
        elif file.suffix == NOTEBOOK:
            self.notebooks.append(file)
        elif file.suffix in YAML and _is_config(data):
            self.configs.append(file)
        lowered = b""
        if file.name == "setup.py" or is_environment or is_text(file):
            lowered = data.lower()
        if any(word in lowered for word in _WORDS):
            self.texts.append(file)


def discover(paths: Sequence[Path]) -> Discovered:
    """Find the projects below some paths."""
    reader, files = Reader(), _Files()
    for file in files_below(paths):
        files.add(file)
    trials = homes_of_trials(files.trials, files.python, files.configs, reader)
    homes = {*trials.values()} | homes_of_scripts(files.configs, reader)
    scripts = [file for file in files.native if _is_native(file, homes, reader)]
    homes |= {file.parent for file in scripts}
    directories = tuple(sorted({path.resolve() for path in paths if path.is_dir()}))
    outside = sorted(one for one in homes if not _is_below(one, directories))
    beside = [file for file in files_below(outside) if file.suffix in YAML]  # of single files
    files.configs += [file for file in beside if _is_config(bytes_or_none(file) or b"")]
    configs_of, stray = assign(sorted(set(files.configs)), sorted(homes), directories, reader)
    projects = []
    for home in sorted(homes):
        inner = [one for one in homes if one != home and one.is_relative_to(home)]
        own = [one for one in files.old if one.is_relative_to(home) and not _is_below(one, inner)]
        own_scripts = tuple(one for one in scripts if one.parent == home)
        configs = configs_of.get(home, ())
        entries = [one for file in configs if (one := reader.config_or_none(file)) is not None]
        top = max((one for one in directories if home.is_relative_to(one)), default=home)
        defining = [*(file for file, one in trials.items() if one == home), *own_scripts]
        project = members(home, defining, own, entries, reader, inner, top)
        projects.append(replace(project, configs=configs, scripts=own_scripts))
    projects += _without_trial(files.old, projects, reader)
    return Discovered(
        tuple(with_notebooks(projects, files.notebooks, reader)),
        tuple(files.texts),
        stray,
        (*directories, *outside),
        tuple(one for one in files.notebooks if b"pedl" in one.read_bytes()),
        files.unreadable,
        reader,
    )


def _is_config(data: bytes) -> bool:
    return b"searcher" in data and any(
        word in data for word in (b"hyperparameters", b"entrypoint", b"max_steps")
    )


def _is_below(path: Path, directories: Sequence[Path]) -> bool:
    return any(path.is_relative_to(one) for one in directories)


def _is_native(file: Path, homes: set[Path], reader: Reader) -> bool:
    """Whether a file trains by the Native API, and does not stand beside a trial."""
    source = reader.source_or_none(file) if not _is_below(file, [*homes]) else None
    return source is not None and native.is_native(source)


def _without_trial(
    old: Sequence[Path], projects: Sequence[Project], reader: Reader
) -> Iterator[Project]:
    """Files with old names that belong to no trial, by directory."""
    taken = {file for one in projects for file in one.modules.values()}
    loose: dict[Path, dict[str, Path]] = {}
    for file in old:
        source = reader.source_or_none(file) if file not in taken else None
        is_python_2 = file not in taken and source is None and _imports_in_text(file)
        if is_python_2 or (source is not None and uses_legacy(source)):
            loose.setdefault(file.parent, {})[file.stem] = file
    for directory, modules in sorted(loose.items()):
        yield Project(directory, directory, modules, has_trial=False)


def _imports_in_text(file: Path) -> bool:
    """Whether a file that is no Python 3 looks as if it imported the old API."""
    lines = file.read_bytes().decode("utf-8", errors="replace").splitlines()
    return any(
        line.split()[:1] in (["import"], ["from"]) and "pedl" in line.replace(".", " ").split()
        for line in lines
    )
