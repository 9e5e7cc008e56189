"""Prepare what is compared: the trial as it is, and its migrated copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.metric_names import MetricNames, metric_names
from pedl2det.analysis.project import Project, Reader, read
from pedl2det.engine import NewFile, Options, Result, migrate
from pedl2det.errors import Pedl2DetError
from pedl2det.files.journal import content
from pedl2det.findings import Finding, Kind
from pedl2det.report.text import simplest_first
from pedl2det.verify.configs import IN_CODE, Settings, configs_in_scripts, settings_of
from pedl2det.verify.copies import Copy, Extent, Workshop, extent_of, project_of

#: Begins a script that `pedl2det eject` writes.
MARK = "Written by `pedl2det eject`"
_CONFIGS = (".yaml", ".yml")
_TRAINED = (".py", *_CONFIGS)


@dataclass(frozen=True)
class Pair:
    """Two trials that are compared."""

    old: Copy
    new: Copy
    names: MetricNames | None = None  # the new names of metrics, where they differ
    findings: tuple[Finding, ...] = ()  # of the migration, with the places in the original

    @property
    def left(self) -> tuple[Finding, ...]:
        """What keeps the trial from being migrated."""
        return tuple(finding for finding in self.findings if finding.kind.is_left)

    def of_kind(self, kind: Kind) -> tuple[Finding, ...]:
        """Return the findings of a kind."""
        return tuple(finding for finding in self.findings if finding.kind is kind)

    @property
    def known_differences(self) -> tuple[Finding, ...]:
        """What may make the trainings differ; findings about configs concern searches only.

        For a twin that the user has, these are the findings of a rewrite of the old trial.
        """
        different = self.of_kind(Kind.DIFFERENT)
        return tuple(finding for finding in different if finding.path.suffix not in _CONFIGS)

    def settings(self) -> tuple[Settings | None, Settings | None]:
        """Return what both configs ask for; None for a plain script, and one that is not valid."""
        new, old = self.new, self.old
        of_new = settings_of(new.config, new.overrides) if new.script is None else None
        return settings_of(old.config, old.overrides), of_new

    def own_config_of_new(self) -> tuple[Path, ...]:
        """Return the config of the new trial if the old one has another."""
        if self.new.script is not None or self.new.extent.home == self.old.extent.home:
            return ()
        config = self.new.original(self.new.config)
        return (config,) if config.is_file() else ()

    def changed_files(self) -> list[NewFile]:
        """Return the files in which the trials differ, by the paths of the old one."""
        is_other = self.new.extent.home != self.old.extent.home
        old, new = (copy.directory if is_other else copy.root for copy in (self.old, self.new))
        suffixes = (*_TRAINED, ".ipynb")
        names = {
            path.relative_to(top)
            for top in (old, new)
            for path in top.rglob("*")
            if path.suffix in suffixes and path.is_file() and not path.is_symlink()
        }
        files = [
            NewFile(self.old.original(old / name), content(old / name), content(new / name) or b"")
            for name in sorted(names)
        ]
        return [file for file in files if file.old != file.new]


def _write(path: Path, copy: Copy, data: bytes) -> None:
    """Write a file of a copy; it may be read-only, as its original is."""
    place = path.resolve()
    if place.is_relative_to(copy.root) and place.parent.is_dir():
        place.unlink(missing_ok=True)
        place.write_bytes(data)


def prepare(workshop: Workshop, extent: Extent) -> Pair:
    """Copy a trial twice and migrate one copy."""
    old = workshop.copy("old", extent)
    if workshop.against is not None:
        return _with_twin(old, workshop.against.resolve(), workshop)
    new = workshop.copy("new", extent)
    if workshop.result is not None:
        new = replace(_apply(workshop.result, new, workshop.config), is_migrated=True)
        concerning = _concerning(workshop.result, project_of(extent.home), workshop.config)
        findings = tuple(finding for finding in concerning if not finding.kind.is_left)
    else:
        result, findings = _migrate(new)
        for file in result.files:
            _write(file.path, new, file.new)
        homes = [outcome.directory for outcome in result.outcomes]
        new = replace(new, is_migrated=any(home.is_relative_to(new.directory) for home in homes))
    asked = settings_of(new.config)
    if asked is not None and "batch_size" not in asked.hparams:  # it has its name of today
        size, today = "hyperparameters.batch_size=", "hyperparameters.global_batch_size="
        new = replace(new, overrides=tuple(text.replace(size, today) for text in new.overrides))
    return Pair(old, new, _new_metric_names(old.directory, new.config), findings)


def _with_twin(old: Copy, twin: Path, workshop: Workshop) -> Pair:
    """The old trial, and a migrated trial or a plain script that the user has."""
    _, findings = _migrate(old)
    different = tuple(finding for finding in findings if finding.kind is Kind.DIFFERENT)
    scripts = [path for path in sorted(twin.rglob("train*.py")) if path.is_file()]
    script = next((path for path in scripts if MARK.encode() in path.read_bytes()[:500]), None)
    own = workshop.config if script else _config_of_twin(twin, old.extent.home, workshop.config)
    new = replace(workshop.copy("new", extent_of(twin), own), is_migrated=True)
    if script is not None:
        new = replace(new, script=new.root / script.relative_to(new.extent.root))
        old = replace(old, twin_is_script=True)
    config = workshop.config if script else new.config
    return Pair(old, new, _new_metric_names(old.directory, config), different)


def _migrate(copy: Copy) -> tuple[Result, tuple[Finding, ...]]:
    """The migration of a copy, as far as that is possible; nothing is written.

    Its findings are those that concern the training, with the places in the original.
    """
    project = project_of(copy.directory)
    needed = project.needed if project is not None else frozenset()
    is_shared = any(
        not file.is_relative_to(copy.directory) and names.mentions_legacy(file.read_bytes())
        for file in needed
    )
    result = migrate([copy.root if is_shared else copy.directory], Options(partial=True))
    if is_shared:  # other trials are below it
        outcomes = [outcome for outcome in result.outcomes if outcome.directory == copy.directory]
        written = {path for outcome in outcomes for path in outcome.files}
        files = [file for file in result.files if file.path in written]
        result = replace(result, outcomes=outcomes, files=files)
    findings = tuple(
        replace(
            finding,
            path=copy.original(finding.path),
            message=copy.with_original_paths(finding.message),
            help=copy.with_original_paths(finding.help),
        )
        for finding in _concerning(result, project, copy.config)
    )
    return result, findings


def _apply(result: Result, copy: Copy, config: Path) -> Copy:
    """Write a migration of the original into a copy; return it with its config, maybe a new one."""
    extracted = []
    for file in result.files:
        if file.path == config.resolve():
            copy.config.write_bytes(file.new)
        elif file.path.is_relative_to(copy.extent.root):
            _write(copy.root / file.path.relative_to(copy.extent.root), copy, file.new)
        is_new_config = file.old is None and file.path.suffix == ".yaml"
        if is_new_config and file.path.is_relative_to(copy.extent.home):
            extracted.append(copy.directory / file.path.relative_to(copy.extent.home))
    if not extracted or config.resolve().is_relative_to(copy.extent.home):
        return copy
    of_script = f"entrypoint: {config.stem}".encode()  # which may be one of several
    named = [file for file in extracted if of_script in file.read_bytes()]
    return replace(copy, config=[*named, *extracted][0])


def _concerning(result: Result, project: Project | None, config: Path) -> Iterator[Finding]:
    """The findings in files that take part in the training: other configs do not."""
    if project is None:
        return
    others = {*project.configs} - {config} | {*project.modules.values()} - project.needed
    for finding in result.findings:
        path = finding.path
        is_near = path.is_relative_to(project.home) or path in project.needed
        if is_near and path.suffix in _TRAINED and path not in others:
            yield finding


def chosen_config(home: Path, *, any_will_do: bool = False) -> Path:
    """Return the config of a trial: the one that `run` takes, else one that belongs to it.

    A script of early Determined may hold its config in its code. Where `run` asks the user to
    choose and ``any_will_do``, that of a single training is taken before those of searches.

    Raises:
        Pedl2DetError: there is none, or there are several.
    """
    from pedl2det_runtime.errors import ConfigError
    from pedl2det_runtime.training.run import find_config

    try:
        return find_config(home)
    except ConfigError as error:
        project = project_of(home)
        configs = project.configs if project is not None else ()
        named = [path for path in configs if path.stem == "const"]
        if len(named) == 1 or len(configs) == 1 or (any_will_do and configs):
            return simplest_first(configs)[0]
        in_script = next(configs_in_scripts(home), None) if not configs else None
        if in_script is not None:
            return in_script
        raise Pedl2DetError(str(error)) from None


def _config_of_twin(twin: Path, home: Path, config: Path) -> Path:
    """The config of a trial that the user migrated; one outside of the trial is used for both."""
    if config.parent.name.startswith(IN_CODE):  # it is in a file of the new trial
        return chosen_config(twin)
    if not config.resolve().is_relative_to(home):
        return config
    same = twin / config.resolve().relative_to(home)
    return same if same.is_file() else chosen_config(twin)


def _new_metric_names(directory: Path, new_config: Path) -> MetricNames | None:
    """The new names of an old trial's metrics, whose class the new config names; None if none."""
    project = project_of(directory)
    if project is None:
        return None
    reader = Reader()
    trial = read(project, reader).trial
    config = reader.config_or_none(new_config)
    name = config.scalar("entrypoint").rpartition(":")[2] if config is not None else ""
    return metric_names(trial, next((owner for owner in trial.classes if owner.name == name), None))
