"""Prepare what is compared: the trial as it is, and its migrated copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pedl2det_names as names
from pedl2det.analysis.metric_names import MetricNames
from pedl2det.analysis.project_files import Project
from pedl2det.engine import NewFile, Options, Result, migrate
from pedl2det.files.write import write_all
from pedl2det.findings import Finding, Kind
from pedl2det.verify.configs import config_of_twin
from pedl2det.verify.copies import Copy, Workshop
from pedl2det.verify.extent import Extent, extent_of, project_of
from pedl2det.verify.names_of_metrics import new_metric_names
from pedl2det.verify.plain_script import script_in
from pedl2det.verify.settings import Settings, settings_of
from pedl2det.verify.verdict import CheckedAssumption

_CONFIGS = (".yaml", ".yml")
_TRAINED = (".py", *_CONFIGS)


@dataclass(frozen=True)
class Request:
    """What is to be verified.

    Attributes:
        directory: the trial, as the user names it.
        against: the migrated trial, if the user has one.
        result: a migration of the trial that is not written yet, if there is one.
    """

    directory: Path
    against: Path | None = None
    result: Result | None = None


@dataclass(frozen=True)
class Pair:
    """Two trials that are compared.

    Attributes:
        old: the trial as it is.
        new: the migrated trial.
        names: the new names of metrics, where they differ.
        assumptions: what the rewrite assumes.
        left: what keeps the trial from being migrated.
        is_same: whether there was nothing to migrate.
        differently: what the rewrite trains differently from the old harness. For a twin that the
            user has, it is what the rewrite of the old trial would.
    """

    old: Copy
    new: Copy
    names: MetricNames | None = None
    assumptions: tuple[CheckedAssumption, ...] = ()
    left: tuple[Finding, ...] = ()
    is_same: bool = False
    differently: tuple[Finding, ...] = ()

    @property
    def known_differences(self) -> tuple[Finding, ...]:
        """What may make the trainings differ: configs train differently in searches only."""
        return tuple(one for one in self.differently if one.path.suffix not in _CONFIGS)

    def settings(self) -> tuple[Settings | None, Settings | None]:
        """Return what both configs ask for; None for a plain script, and one that is not valid."""
        new = settings_of(self.new.config) if self.new.script is None else None
        return settings_of(self.old.config), new

    def own_config_of_new(self) -> tuple[Path, ...]:
        """Return the config of the new trial if it is not that of the old one."""
        if self.new.script is not None or self.new.extent.home == self.old.extent.home:
            return ()
        config = self.new.original(self.new.config)
        return (config,) if config.is_file() else ()

    def changed_files(self) -> list[NewFile]:
        """Return the files in which the trials differ, by the paths of the old one."""
        is_other = self.new.extent.home != self.old.extent.home
        old, new = (one.directory if is_other else one.root for one in (self.old, self.new))
        shown = self.old.original(old)
        names = {path.relative_to(top) for top in (old, new) for path in _sources(top)}
        files = [
            NewFile(shown / name, _bytes(old / name), _bytes(new / name) or b"")
            for name in sorted(names)
        ]
        return [file for file in files if file.old != file.new]


def prepare(request: Request, extent: Extent, workshop: Workshop) -> Pair:
    """Copy a trial twice and migrate one copy."""
    old = workshop.copy("old", extent)
    if request.against is not None:
        twin = request.against.resolve()
        different = _of_kind([*_would_find(old)], Kind.DIFFERENT)
        if (script := script_in(twin)) is not None:
            new = workshop.copy("new", extent_of(twin), workshop.config)
            new = replace(new, script=new.root / script.relative_to(new.extent.root))
            old = replace(old, twin_is_script=True)
            metric_names = new_metric_names(old.directory, workshop.config)
            return Pair(old, new, metric_names, differently=different)
        config = config_of_twin(twin, extent.home, workshop.config)
        new = workshop.copy("new", extent_of(twin), config)
        metric_names = new_metric_names(old.directory, new.config)
        return Pair(old, new, metric_names, differently=different)
    new = workshop.copy("new", extent)
    if request.result is not None:
        _apply(request.result, new, workshop.config)
        held = next(_new_configs(request.result, new), new.config)
        new = replace(new, config=held)
        metric_names = new_metric_names(old.directory, new.config)
        findings = _concerning(request.result, project_of(extent.home), workshop.config)
        return Pair(
            *(old, new, metric_names, _assumptions(findings)),
            differently=_of_kind(findings, Kind.DIFFERENT),
        )
    project = project_of(new.directory)
    result = _migration(new, project)
    write_all([one for one in result.files if one.path.resolve().is_relative_to(new.root)])
    findings = [*_findings(result, project, new)]
    return Pair(
        old,
        new,
        new_metric_names(old.directory, new.config),
        _assumptions(findings),
        tuple(one for one in findings if one.kind.is_left),
        not any(one.directory.is_relative_to(new.directory) for one in result.outcomes),
        _of_kind(findings, Kind.DIFFERENT),
    )


def _would_find(copy: Copy) -> Iterator[Finding]:
    """What there is to say about a copy if it were migrated."""
    project = project_of(copy.directory)
    return _findings(_migration(copy, project), project, copy)


def _migration(copy: Copy, project: Project | None) -> Result:
    """The migration of a copy, as far as that is possible; nothing is written."""
    needed = project.needed if project is not None else frozenset()
    is_shared = any(
        not file.is_relative_to(copy.directory) and names.mentions_legacy(file.read_bytes())
        for file in needed
    )
    result = migrate([copy.root if is_shared else copy.directory], Options(partial=True))
    if is_shared:  # other trials are in there
        outcomes = [one for one in result.outcomes if one.directory == copy.directory]
        written = {path for one in outcomes for path in one.files}
        files = [file for file in result.files if file.path in written]
        result = replace(result, outcomes=outcomes, files=files)
    return result


def _apply(result: Result, copy: Copy, config: Path) -> None:
    """Write into a copy what a migration of the original would write."""
    for file in result.files:
        if file.path == config.resolve():
            copy.config.write_bytes(file.new)
        elif file.path.is_relative_to(copy.extent.root):
            place = (copy.root / file.path.relative_to(copy.extent.root)).resolve()
            if place.is_relative_to(copy.root) and place.parent.is_dir():
                place.write_bytes(file.new)


def _new_configs(result: Result, copy: Copy) -> Iterator[Path]:
    """The configs that stood in scripts, as files of a copy."""
    home = copy.extent.home
    for file in result.files:
        if file.old is None and file.path.suffix == ".yaml" and file.path.is_relative_to(home):
            yield copy.directory / file.path.relative_to(home)


def _concerns(path: Path, project: Project, config: Path) -> bool:
    """Whether a file has a part in the training.

    Other configs of the trial have none, nor has a module that the trial does not import.
    """
    if path.suffix not in _TRAINED or path in {*project.configs} - {config}:
        return False
    if path in {*project.modules.values()} - project.needed:
        return False
    return path.is_relative_to(project.home) or path in project.needed


def _concerning(result: Result, project: Project | None, config: Path) -> list[Finding]:
    """The findings that concern the training of a trial by one of its configs."""
    if project is None:
        return []
    return [one for one in result.findings if _concerns(one.path, project, config)]


def _findings(result: Result, project: Project | None, copy: Copy) -> Iterator[Finding]:
    """The findings in a copy that concern the training, as findings in the original."""
    for one in _concerning(result, project, copy.config):
        texts = [copy.with_original_paths(text) for text in (one.message, one.help)]
        yield replace(one, path=copy.original(one.path), message=texts[0], help=texts[1])


def _of_kind(findings: list[Finding], kind: Kind) -> tuple[Finding, ...]:
    return tuple(one for one in findings if one.kind is kind)


def _sources(top: Path) -> Iterator[Path]:
    for path in top.rglob("*"):
        if path.suffix in (*_TRAINED, ".ipynb") and path.is_file() and not path.is_symlink():
            yield path


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _assumptions(findings: list[Finding]) -> tuple[CheckedAssumption, ...]:
    return tuple(
        CheckedAssumption(one.message, one.path, one.line, "not verified")
        for one in findings
        if one.kind is Kind.ASSUMPTION
    )
