"""Migrate what is not Python: configs, requirements, shell commands, cells of notebooks."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from pedl2det.analysis.config import Config
from pedl2det.analysis.discovery import Discovered
from pedl2det.analysis.metric_names import RENAMED, metric_names, strings_in, todays_name
from pedl2det.analysis.project import Reading, Script
from pedl2det.analysis.source import skipped_lines
from pedl2det.analysis.text_rules import ConfigFacts, TextFinding, TextResult
from pedl2det.analysis.tree import decoded
from pedl2det.analysis.trial import Generation, Trial
from pedl2det.engine.marks import finding_at
from pedl2det.engine.migration import Change, Migration, NewFile, Options, Result
from pedl2det.engine.settling import SCAN
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.fixes import ConfigNeed
from pedl2det.texts import PlaceOfTrial, is_requirement_file, is_shell_file
from pedl2det.texts.configs import migrate_config, with_legacy_config

CONFIGS = "C105"


def take_text(
    record: Migration | Result,
    path: Path,
    old: str,
    new: TextResult,
    options: Options,
    cell: int | None = None,
) -> str:
    """Record the changes of a text and return it; it stays if the user leaves a part out."""
    skipped = skipped_lines(old)
    out = options.left_out
    unwanted = [change for change in new.changes if change.rule in out or change.line in skipped]
    if unwanted:
        message = "this would be rewritten: left by your choice, with all of this text"
        record.findings += [
            Finding(*(Kind.SUPPRESSED, change.rule, path, change.line, message), cell=cell)
            for change in unwanted
        ]
        return old
    record.findings += [
        _finding_of(path, old, finding, cell)
        for finding in new.findings
        if finding.rule not in out and finding.line not in skipped
    ]
    record.changes += [Change(change.rule, path, change.line, cell) for change in new.changes]
    return new.text


def _finding_of(path: Path, text: str, found: TextFinding, cell: int | None = None) -> Finding:
    """Return a finding about a text as a finding about its file."""
    lines, line = text.splitlines(), found.line
    code = lines[line - 1] if 0 < line <= len(lines) else ""
    what = found.kind, found.rule, path, line, found.message, found.help
    return Finding(*what, code=code, cell=cell)


def migrate_texts(discovered: Discovered, result: Result, options: Options) -> None:
    """Migrate the other files, and add them to a result."""
    # A file is left for now if every trial near it is only begun and so not written: the trial
    # still needs what the file asks for.
    begun = [outcome for outcome in result.outcomes if not outcome.status.is_finished]
    waiting = {outcome.directory for outcome in begun if not outcome.written}
    done = {outcome.directory for outcome in result.outcomes} - waiting
    for path in discovered.texts:
        near = _near(path, done)
        if near or not _near(path, waiting):
            is_around = any(path.is_relative_to(directory) for directory in near)
            place: PlaceOfTrial = "around" if is_around else "below" if near else ""
            _migrate_text(path, place, result, options)


def _near(path: Path, directories: Iterable[Path]) -> list[Path]:
    """The trials above a file, or below its directory."""
    here = path.parent
    return [top for top in directories if path.is_relative_to(top) or top.is_relative_to(here)]


def _migrate_text(path: Path, trial: PlaceOfTrial, result: Result, options: Options) -> None:
    data = path.read_bytes()
    try:
        text, encoding = decoded(data)
    except Unreadable:
        return
    name, mentions_pedl = str(path), "pedl" in text.lower()
    if is_requirement_file(name) and (trial or mentions_pedl):
        from pedl2det.texts.requirements import migrate_requirements  # it loads packaging

        new = migrate_requirements(name, text, options.cluster, trial, options.left_out)
    elif is_shell_file(name) and (mentions_pedl or (trial and "det " in text)):
        from pedl2det.texts.commands import migrate_shell

        new = migrate_shell(name, text, options.cluster)
    else:
        return
    new_text = take_text(result, path, text, new, options)
    if new_text != text:
        result.files.append(NewFile(path, data, new_text.encode(encoding)))


def migrate_configs(migration: Migration) -> None:
    """Migrate the configs of a project, with what its applied fixes and scripts need there."""
    reading, trial, options = migration.reading, migration.trial, migration.options
    fixes = migration.fixes
    facts = _facts(migration)
    is_first = any(need.key == "init_first" for fix in fixes for need in fix.config)
    is_renamed = any(RENAMED in fix.config for fix in fixes)
    support = frozenset[str]().union(*(fix.support for fix in fixes))
    asks_for_old = bool({"get_experiment_config", "old_config"} & support)
    has_all = bool({"get_hyperparameters", "shared_hyperparameters"} & support)
    if trial.carried and trial.generation is not Generation.CONTEXT:  # loaders get the old config
        asks_for_old |= trial.loaders is None or bool(trial.config_uses.as_before)
        asks_for_old |= bool(trial.several_functions)
    for path, config in reading.configs.items():
        owner = _class_of_trial(trial, config.trial)
        named = _script(reading, path, config) or _entrypoint(trial, config, owner, is_first)
        of_config = replace(facts, entrypoint=named)
        names = metric_names(trial, owner) if is_renamed else None
        metric = config.scalar("searcher", "metric") or ""
        if names is None and trial.generation is not Generation.CONTEXT:
            own = strings_in(config.value().get("hyperparameters"))
            if (new := todays_name(metric, own)) != metric:  # other configs may not need it
                of_config = replace(of_config, metric_renames={metric: new})
        if names is not None:
            of_config = replace(of_config, metric_renames={metric: names.new("validation", metric)})
        present = config.entry("entrypoint")
        if named is None and trial.concrete and (present is None or present.is_null):
            classes = ", ".join([*trial.exposed] or [kind.name for kind in trial.concrete])
            message = f"this config names no trial, and there are several: {classes}"
            place = Kind.LEFT, CONFIGS, path, 1
            migration.findings.append(Finding(*place, message, "entrypoint: module:Class"))
        result = migrate_config(config.text, of_config)
        has_new = any(change.rule == "C107" for change in result.changes)  # a batch size
        if asks_for_old or (has_all and has_new):
            result = with_legacy_config(config.text, result)
        text = take_text(migration, path, config.text, result, options)
        if text != config.text:
            migration.configs[path] = text
    for path, script in reading.scripts.items():
        if script.config is not None and script.entrypoint:
            _write_new(path, script, facts, migration)


def _write_new(path: Path, script: Script, facts: ConfigFacts, migration: Migration) -> None:
    """Write the config of a script to a file beside it."""
    numbered = (f"{path.stem}_{number}" for number in itertools.count(2))
    names = itertools.chain(("const", path.stem), numbered)
    files = (path.with_name(f"{name}.yaml") for name in names)
    file = next(place for place in files if not (place.exists() or place in migration.configs))
    content = {"entrypoint": script.entrypoint, **script.config}  # type: ignore[dict-item]
    text = yaml.safe_dump(content, sort_keys=False)
    result = migrate_config(text, replace(facts, entrypoint=script.entrypoint))
    migration.configs[file] = result.text
    message = f"the experiment config of the script is written to {file.name}"
    migration.findings.append(Finding(Kind.NOTE, CONFIGS, path, 1, message))
    migration.findings += [_finding_of(file, text, finding) for finding in result.findings]


def _facts(migration: Migration) -> ConfigFacts:
    """What fixes and scripts need in the configs; report fixes that disagree."""
    needs = [need for script in migration.reading.scripts.values() for need in script.needs]
    values: dict[str, ConfigNeed] = {need.key: need for need in needs}
    for fix in migration.fixes:
        for need in fix.config:
            known = values.setdefault(need.key, need)
            if known.value != need.value:
                message = f"{need.key}: {need.value} here, and {known.value} elsewhere"
                home = migration.trial.modules.home(fix.node)
                migration.findings.append(finding_at(home, fix.node, Kind.LEFT, fix.rule, message))
    start, size = "metric:", values.get("global_batch_size")
    renames = {key: str(need.value) for key, need in values.items() if key.startswith(start)}
    return ConfigFacts(
        metric_renames={key.removeprefix(start): new for key, new in renames.items()},
        batch_size=size.value if size is not None and isinstance(size.value, int) else None,
        cluster=migration.options.cluster,
        is_rewritten=bool(migration.texts),
    )


def _script(reading: Reading, path: Path, config: Config) -> str | None:
    """The entrypoint of the trial that a config's script has become."""
    name = config.scalar("entrypoint", "script")
    places = (base / name for base in (path.parent, reading.project.home) if name)
    script = next((reading.scripts[place] for place in places if place in reading.scripts), None)
    return (script.entrypoint or None) if script is not None else None


def _entrypoint(
    trial: Trial, config: Config, owner: ast.ClassDef | None, is_init_first: bool
) -> str | None:
    """The trial of a config as ``module:Class``."""
    if owner is None:
        names = [] if trial.entry_names else [*trial.exposed]
        return f"__init__:{names[0]}" if len(names) == 1 else None
    if is_init_first and not config.trial.partition(":")[0]:
        return f"__init__:{owner.name}"  # which the old harness imported too
    return f"{trial.modules.name_of(trial.modules.home(owner))}:{owner.name}"


def _class_of_trial(trial: Trial, named: str) -> ast.ClassDef | None:
    """The class of ``module:Class``; else the only one in ``__init__.py``, or the only one."""
    importable = [owner for owner in trial.classes if trial.modules.home(owner).is_module]
    classes = [owner for owner in importable if {*trial.flow.bases(owner)} & {*trial.roots}]
    concrete = [owner for owner in classes if owner in trial.concrete]
    module, _, name = named.rpartition(":")
    by_name = [owner for owner in classes if owner.name == name]
    modules = [trial.modules.name_of(trial.modules.home(owner)) for owner in by_name]
    if module in modules or len(by_name) == 1:
        return by_name[modules.index(module) if module in modules else 0]
    of_package = [owner for owners in trial.exposed.values() for owner in owners]
    exposed = [owner for owner in classes if owner in of_package]
    candidates = concrete if named and len(concrete) == 1 else exposed or concrete
    return candidates[0] if len(candidates) == 1 else None


CELLS = "N202"
_WHAT = "old code of a magic, a program or a file in a notebook"
_HELP = "write it as plain Python, or migrate it as a file and put the new text into the cell"
_OTHER_CELLS = {"file", "writefile", "pypy", "python", "python2", "python3", "script"}
_SHELL = re.compile(r"!|%(sc|sx|system|pip)\b|pip\b")
#: A name of PEDL, or a key of a config that counts in steps.
_OLD = re.compile(
    r"(?<![\w./-])pedl(?:\.\w+)*(?![\w/-])"
    r"|\b(?:batches_per_step|max_steps|target_trial_steps|step_budget)(?=\W*:)"
)


def migrate_notebook(path: Path, result: Result, options: Options) -> None:
    """Migrate shell commands in the cells of a notebook, on top of its other changes."""
    from pedl2det.analysis.notebook import Document
    from pedl2det.texts.commands import migrate_shell

    known = next((file for file in result.files if file.path == path), None)
    file = known or NewFile(path, path.read_bytes(), path.read_bytes())
    try:
        document = Document.of(path, file.new)
    except Unreadable:
        return
    sources = {}
    for cell in document.cells:
        if cell.is_code and "pedl" in cell.source:
            new = migrate_shell(str(path), cell.source, options.cluster)
            text = take_text(result, path, cell.source, new, options, cell.number)
            if text != cell.source:
                sources[cell.number] = text
    if sources:  # the last of the new texts of a file counts
        result.files.append(replace(file, new=document.with_sources(sources)))


def notebook_findings(reading: Reading) -> Iterator[Finding]:
    """Report old code that only IPython runs: magics, and cells that hold a program or a file."""
    from pedl2det.analysis.notebook import OLD_API, NotebookSource

    originals = reading.originals.values()
    notebooks = (source for source in originals if isinstance(source, NotebookSource))
    for source, cell in ((book, cell) for book in notebooks for cell in book.document.cells):
        if cell.is_code and cell.magic in _OTHER_CELLS:
            rule = CELLS
            lines = enumerate(cell.source.split("\n"), 1)
            pieces = [
                (line, text) for line, text in lines if not text.lstrip().startswith(("#", "%%"))
            ]
        else:
            rule = SCAN
            magics = source.magics.get(cell.number, ())
            pieces = [(magic.line, magic.text) for magic in magics if not _SHELL.match(magic.text)]
        for line, text in pieces:
            if _OLD.search(text) if rule == CELLS else OLD_API.search(text):
                code = text.splitlines()[0]
                place = rule, source.path, line, f"{code}: {_WHAT}", _HELP
                yield Finding(Kind.LEFT, *place, code=code, cell=cell.number)
