"""Find the projects below some paths: which files belong to which trial.

Every file is read once and most leave after a search for a few words in its bytes. A trial's home
is the directory of its config, or the outermost package around its class. The modules of a project
are those that the trial imports, however far round, and the files beside them that use these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis import imported, native
from pedl2det.analysis.configs_of import Assigned, assign
from pedl2det.analysis.file_bytes import bytes_or_none, is_present, read_bytes
from pedl2det.analysis.membership import members
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.notebook.discovery import with_notebooks
from pedl2det.analysis.project_files import (
    SUPPORT,
    Project,
    names_trial,
    trial_classes,
    uses_legacy,
)
from pedl2det.analysis.reader import Reader
from pedl2det.analysis.tree import NOTEBOOK, YAML, files_below, is_python, is_text
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Unreadable

#: What texts name that may have to change: the old API, and what it was pinned with.
_WORDS = (b"pedl", b"determined", b"tensorflow", b"keras", b"numpy", b"h5py", b"protobuf")


@dataclass(frozen=True)
class Discovered:
    """What there is below some paths.

    Attributes:
        projects: the projects, by their directories.
        texts: the other files that may name the old API.
        stray: configs that count in steps and belong to no trial.
        ambiguous: configs that count in steps and may belong to several trials.
        directories: the directories in which files may be written.
        notebooks: the notebooks that name the old API or its commands.
        unreadable: why some files and folders cannot be read.
        reader: the files that were read on the way.
    """

    projects: tuple[Project, ...]
    texts: tuple[Path, ...]
    stray: tuple[Path, ...]
    ambiguous: tuple[Path, ...]
    directories: tuple[Path, ...]
    notebooks: tuple[Path, ...]
    unreadable: Mapping[Path, Unreadable]
    reader: Reader = field(compare=False)


@dataclass
class _Found:
    """The files by what their bytes say."""

    python: list[Path] = field(default_factory=list)
    old: list[Path] = field(default_factory=list)  #: Python that may use an old API
    trials: list[Path] = field(default_factory=list)  #: Python that may define a trial
    native: list[Path] = field(default_factory=list)  #: Python that may train by the Native API
    notebooks: list[Path] = field(default_factory=list)
    configs: list[Path] = field(default_factory=list)  #: YAML that may be an experiment config
    texts: list[Path] = field(default_factory=list)
    unreadable: dict[Path, Unreadable] = field(default_factory=dict)


def discover(paths: Sequence[Path]) -> Discovered:
    """Find the projects below some paths."""
    imported.forget()
    reader = Reader()
    found = _Found()
    for file in files_below(paths):
        _sort(file, found)
    trials = _trials(found, reader)
    homes = {*trials.values()} | _script_homes(found.configs, reader)
    found.native = [file for file in found.native if _is_native(file, homes, reader)]
    homes |= {file.parent for file in found.native}
    directories = tuple(sorted({path.resolve() for path in paths if path.is_dir()}))
    outside = sorted(one for one in homes if not _is_below(one, directories))
    beside = [file for file in files_below(outside) if file.suffix in YAML]  # of single files
    found.configs += [file for file in beside if _is_config(bytes_or_none(file) or b"")]
    assigned = assign(sorted(set(found.configs)), sorted(homes), directories, reader)
    projects = [
        _project(home, homes, trials, found, assigned, directories, reader)
        for home in sorted(homes)
    ]
    taken = {file for one in projects for file in one.modules.values()}
    projects += _without_trial(found, taken, reader)
    return Discovered(
        tuple(with_notebooks(projects, found.notebooks, reader)),
        tuple(found.texts),
        assigned.stray,
        assigned.ambiguous,
        (*directories, *outside),
        tuple(one for one in found.notebooks if b"pedl" in one.read_bytes()),
        found.unreadable,
        reader,
    )


def _sort(file: Path, found: _Found) -> None:
    """File a path by its name and by a search for words in its bytes."""
    if file.name == SUPPORT:
        return
    try:
        data = read_bytes(file)
    except Unreadable as error:
        found.unreadable[file] = error
        if file.suffix in YAML:
            found.configs.append(file)  # of the trial in whose directory it is
        return
    if is_python(file):
        found.python.append(file)
        is_old = names.mentions_legacy(data)
        if is_old:
            found.old.append(file)
        if (is_old and b"Trial" in data) or (b"TFKerasTrial" in data and b"determined" in data):
            found.trials.append(file)
        if native.may_be_native(data):
            found.native.append(file)
        if file.name == "setup.py" and (is_old or _may_name(data)):
            found.texts.append(file)
    elif file.suffix == NOTEBOOK:
        found.notebooks.append(file)
    elif file.suffix in YAML:
        if _is_config(data):
            found.configs.append(file)
        if file.name.startswith("environment") and _may_name(data):
            found.texts.append(file)
    if is_text(file) and _may_name(data):
        found.texts.append(file)


def _is_config(data: bytes) -> bool:
    return b"searcher" in data and any(
        word in data for word in (b"hyperparameters", b"entrypoint", b"max_steps")
    )


def _may_name(data: bytes) -> bool:
    lowered = data.lower()
    return any(word in lowered for word in _WORDS)


def _is_below(path: Path, directories: Sequence[Path]) -> bool:
    return any(path.is_relative_to(one) for one in directories)


def _trials(found: _Found, reader: Reader) -> dict[Path, Path]:
    """The files that define a trial or lead to one, each with the directory of its trial."""
    configs = {one.parent for one in found.configs}
    trials: dict[Path, Path] = {}
    for file in found.trials:
        source = reader.source_or_none(file)
        classes = trial_classes(source) if source is not None else []
        if classes:
            heirs = _heirs(file, [one.name for one in classes], configs, found)
            trials |= heirs or {file: _home(file, configs)}
    known = {*trials.values()} | _script_homes(found.configs, reader)
    for file in found.trials:
        home = _home(file, configs)
        if file not in trials and home not in known and _leads_to_trial(file, home, found, reader):
            trials[file] = home
    return trials


def _heirs(
    file: Path, classes: Sequence[str], configs: set[Path], found: _Found
) -> dict[Path, Path]:
    """A file of base classes in a folder without a config, and the files that derive from them.

    All of them belong to the directory of the nearest config above.
    """
    above = next((one for one in file.parents if one in configs), file.parent)
    if above == file.parent:
        return {}
    names_of_bases = "|".join(classes)
    derives = re.compile(rf"^class\s+\w+\s*\([^)]*\b(?:{names_of_bases})\b".encode(), re.M)
    heirs = [
        one
        for one in found.python
        if one.is_relative_to(above) and derives.search(one.read_bytes())
    ]
    return dict.fromkeys((file, *heirs), above) if heirs and heirs != [file] else {}


def _is_native(file: Path, homes: set[Path], reader: Reader) -> bool:
    """Whether a file trains by the Native API, and does not stand beside a trial."""
    if any(file.is_relative_to(home) for home in homes):
        return False
    source = reader.source_or_none(file)
    return source is not None and native.is_native(source)


def _leads_to_trial(file: Path, home: Path, found: _Found, reader: Reader) -> bool:
    """Whether a class of the files around derives from a trial class that a file only names.

    Such as one that imports it for other modules, or hands it to a function that makes the class.
    """
    source = reader.source_or_none(file)
    if source is None or not names_trial(source):
        return False
    old = [one for one in found.old if one.is_relative_to(home)]
    near = members(home, [file], old, [], set(), home, reader)
    sources = {name: reader.source_or_none(path) for name, path in near.modules.items()}
    modules = Modules({name: one for name, one in sources.items() if one is not None})
    return bool(Trial(home, modules).roots)


def _home(file: Path, configs: set[Path]) -> Path:
    """The directory of the trial that a file defines."""
    directory = file.parent
    while directory not in configs and (directory.parent / "__init__.py").exists():
        directory = directory.parent
    return directory


def _script_homes(configs: Sequence[Path], reader: Reader) -> set[Path]:
    """The directories of scripts that configs name as their entrypoint.

    A script is named from the directory of its config, or from the one above.
    """
    homes = set()
    for file in configs:
        if b"script" in (bytes_or_none(file) or b""):
            config = reader.config_or_none(file)
            script = config.named.get("script") if config is not None else None
            bases = (file.parent, file.parent.parent)
            homes |= {*[one for one in bases if script and is_present(one / script)][:1]}
    return homes


def _project(
    home: Path,
    homes: set[Path],
    trials: Mapping[Path, Path],
    found: _Found,
    assigned: Assigned,
    directories: Sequence[Path],
    reader: Reader,
) -> Project:
    """The project of a trial's directory."""
    others = {one for one in homes if one != home and one.is_relative_to(home)}

    def owned(files: Sequence[Path]) -> list[Path]:
        return [one for one in files if one.is_relative_to(home) and not _is_below(one, [*others])]

    configs = assigned.configs.get(home, ())
    entries = [one for file in configs if (one := reader.config_or_none(file)) is not None]
    top = max((one for one in directories if home.is_relative_to(one)), default=home)
    scripts = owned(found.native)
    own = [file for file, one in trials.items() if one == home]
    made = members(home, [*own, *scripts], owned(found.old), entries, others, top, reader)
    return Project(home, made.root, made.modules, made.needed, configs, scripts=tuple(scripts))


def _without_trial(found: _Found, taken: set[Path], reader: Reader) -> Iterator[Project]:
    """Files with old names that belong to no trial, by directory."""
    loose: dict[Path, dict[str, Path]] = {}
    for file in found.old:
        if file not in taken and _matters(file, reader):
            loose.setdefault(file.parent, {})[file.stem] = file
    for directory, modules in sorted(loose.items()):
        yield Project(directory, directory, modules, has_trial=False)


def _matters(file: Path, reader: Reader) -> bool:
    """Whether a file uses the old API, or cannot be read and may use it."""
    source = reader.source_or_none(file)
    if source is None:
        return _imports_in_text(file)
    return uses_legacy(source)


def _imports_in_text(file: Path) -> bool:
    """Whether a file that is no Python 3 looks as if it imported the old API."""
    lines = file.read_bytes().decode("utf-8", errors="replace").splitlines()
    return any(
        line.split()[:1] in (["import"], ["from"]) and "pedl" in line.replace(".", " ").split()
        for line in lines
    )
