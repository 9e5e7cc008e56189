"""Read each file of a project once, into what rules look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pedl2det.analysis.config import Config
from pedl2det.analysis.modules import Modules
from pedl2det.analysis.source import Source
from pedl2det.analysis.tree import NOTEBOOK
from pedl2det.analysis.trial import Trial
from pedl2det.findings import Finding, Unreadable
from pedl2det.fixes import ConfigNeed, Edit

File = TypeVar("File", Source, Config)


class Reader:
    """Files that were read, and why others could not be."""

    def __init__(self) -> None:
        self._known: dict[Path, Any] = {}
        self.unreadable: dict[Path, Unreadable] = {}

    def source_or_none(self, path: Path) -> Source | None:
        """Read a Python file or a notebook; None if it cannot be read."""
        if path.suffix != NOTEBOOK:
            return self._once(path, Source)
        from pedl2det.analysis.notebook import NotebookSource  # few trees have notebooks

        return self._once(path, NotebookSource)

    def config_or_none(self, path: Path) -> Config | None:
        """Read a YAML file; None if it cannot be read."""
        return self._once(path, Config)

    def _once(self, path: Path, kind: type[File]) -> File | None:
        if path not in self._known:
            self._known[path] = None
            try:
                self._known[path] = kind.read(path)
            except Unreadable as error:
                self.unreadable[path] = error
        return self._known[path]  # type: ignore[no-any-return]


#: The file that `migrate` writes into trials.
SUPPORT = "legacy_keras.py"


@dataclass(frozen=True)
class Project:
    """The files of one trial, or files with old names that belong to no trial."""

    home: Path  #: the directory of the trial
    root: Path  #: the directory from which its modules import each other
    modules: Mapping[str, Path]  #: its Python files by the names under which they are imported
    #: The files that the trial imports, itself included; the others are leftovers.
    needed: frozenset[Path] = frozenset()
    configs: tuple[Path, ...] = ()  #: its experiment configs
    notebooks: tuple[Path, ...] = ()  #: the notebooks that import its modules
    has_trial: bool = True  #: whether it defines a trial, or its config names a script
    scripts: tuple[Path, ...] = ()  #: its scripts of the Native API, which no config names


@dataclass
class Script:
    """A script of a project, and the trial that it becomes."""

    source: Source  #: the file as it is on the disk
    edits: list[tuple[Source, Edit]] = field(default_factory=list)  #: the edits, with their files
    findings: list[Finding] = field(default_factory=list)  #: what to report to the user
    entrypoint: str = ""  #: the trial as ``module:Class``; empty if it becomes none
    needs: tuple[ConfigNeed, ...] = ()  #: what the configs need
    config: dict[str, object] | None = None  #: the experiment config that the script held
    #: The pieces of ``legacy_keras.py`` that the generator uses; none if it becomes no generator.
    support: frozenset[str] = frozenset()
    context: str = ""  #: the generator's name for its context; empty if it has none
    #: For each line of the new text, the line of the old text that it came from.
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A project that was read."""

    project: Project  #: its files
    trial: Trial  #: what rules look at
    #: The Python files and notebooks as they are on the disk, by path.
    originals: Mapping[Path, Source]
    configs: Mapping[Path, Config]  #: its experiment configs, by path
    unreadable: Mapping[Path, Unreadable]  #: why other files of it could not be read
    #: The scripts that ``trial`` holds as trials, by path.
    scripts: Mapping[Path, Script] = field(default_factory=dict)


def read(
    project: Project,
    reader: Reader,
    *,
    carried: bool = False,
    unseen: Mapping[Path, frozenset[int]] = MappingProxyType({}),
) -> Reading:
    """Read the files of a project that can be read: see `Trial` for ``carried`` and ``unseen``."""
    modules = {**project.modules, **{notebook.name: notebook for notebook in project.notebooks}}
    read_sources = {name: reader.source_or_none(path) for name, path in modules.items()}
    sources = {name: source for name, source in read_sources.items() if source is not None}
    read_configs = {path: reader.config_or_none(path) for path in project.configs}
    configs = {path: config for path, config in read_configs.items() if config is not None}
    files = (*modules.values(), *project.configs)
    unreadable = {file: reader.unreadable[file] for file in files if file in reader.unreadable}
    trial = make_trial(project, sources, configs, carried=carried, unseen=unseen)
    originals = {source.path: source for source in sources.values()}
    return Reading(project, trial, originals, configs, unreadable)


def make_trial(
    project: Project,
    sources: Mapping[str, Source],
    configs: Mapping[Path, Config],
    *,
    carried: bool = False,
    unseen: Mapping[Path, frozenset[int]] = MappingProxyType({}),
) -> Trial:
    """Return what rules look at, from sources and configs in memory."""
    entry_names: dict[str, frozenset[str]] = {}
    for kind, name in (pair for config in configs.values() for pair in config.named.items()):
        entry_names[kind] = entry_names.get(kind, frozenset()) | {name}
    return Trial(
        project.root,
        Modules(sources),
        configs=[(path, config.value()) for path, config in configs.items()],
        counts_in_steps=any(config.counts_steps for config in configs.values()),
        entry_names=entry_names,
        is_whole=len(sources) >= len(project.modules),
        leftovers=frozenset(project.modules.values()) - project.needed,
        carried=carried,
        unseen=unseen,
    )
