"""Migrate the experiment configs of a project, with what its code says about them."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import yaml

from pedl2det.analysis.config import Config
from pedl2det.analysis.metric_names import RENAMED, metric_names
from pedl2det.analysis.project import Reading, Script
from pedl2det.analysis.source import skipped_in_text
from pedl2det.analysis.text_rules import ConfigFacts
from pedl2det.analysis.trial import Trial
from pedl2det.engine.marks import finding_at
from pedl2det.engine.migration import Migration
from pedl2det.engine.texts import finding_of, take_text
from pedl2det.findings import Finding, Kind
from pedl2det.fixes import ConfigNeed
from pedl2det.texts.configs import migrate_config, with_legacy_config

RULE = "C105"


def migrate_configs(migration: Migration) -> None:
    """Migrate the configs of a project, with what its applied fixes and its scripts ask of them."""
    reading, trial, options = migration.reading, migration.trial, migration.options
    fixes = migration.fixes
    facts = _facts(migration)
    is_first = any(need.key == "init_first" for fix in fixes for need in fix.config)
    is_renamed = any(RENAMED in fix.config for fix in fixes)
    asks_for_old = any("get_experiment_config" in fix.support for fix in fixes)
    if trial.carried:  # whose loaders are given the old config
        asks_for_old |= trial.loaders is None or bool(trial.config_uses.as_before)
    for path, config in reading.configs.items():
        owner = _chosen(trial, config.trial.rpartition(":")[2])
        named = _script(reading, path, config) or _entrypoint(trial, config, owner, is_first)
        of_config = replace(facts, entrypoint=named)
        names = metric_names(trial, owner) if is_renamed else None
        if names is not None:
            metric = config.scalar("searcher", "metric")
            of_config = replace(of_config, metric_renames={metric: names.new("validation", metric)})
        present = config.entry("entrypoint")
        if named is None and trial.concrete and (present is None or present.is_null):
            several = [*trial.exposed] or [one.name for one in trial.concrete]
            classes = ", ".join(several)
            message = f"this config names no trial, and there are several: {classes}"
            help_ = "entrypoint: module:Class"
            migration.findings.append(Finding(Kind.LEFT, RULE, path, 1, message, help_))
        result = migrate_config(config.text, of_config)
        if asks_for_old:
            result = with_legacy_config(config.text, result)
        skipped = skipped_in_text(config.text)
        text, changes, findings = take_text(path, config.text, result, options, skipped)
        migration.changes += changes
        migration.findings += findings
        if text != config.text:
            migration.configs[path] = text
    for path, script in reading.scripts.items():
        if script.config is not None and script.entrypoint and not reading.configs:
            _write_new(path, script, facts, migration)


def _write_new(path: Path, script: Script, facts: ConfigFacts, migration: Migration) -> None:
    """Write the config that stood in a script to a file beside it."""
    file = path.with_name("const.yaml")
    if file.exists() or file in migration.configs:
        file = path.with_suffix(".yaml")
    content = {"entrypoint": script.entrypoint, **script.config}  # type: ignore[dict-item]
    text = yaml.safe_dump(content, sort_keys=False)
    result = migrate_config(text, replace(facts, entrypoint=script.entrypoint))
    migration.configs[file] = result.text
    message = f"the experiment config of the script is written to {file.name}"
    migration.findings.append(Finding(Kind.NOTE, RULE, path, 1, message))
    migration.findings += [finding_of(file, text, one) for one in result.findings]


def _facts(migration: Migration) -> ConfigFacts:
    """What the fixes and scripts ask of the configs; two fixes that disagree are reported."""
    needs = [one for script in migration.reading.scripts.values() for one in script.needs]
    values: dict[str, ConfigNeed] = {one.key: one for one in needs}
    for fix in migration.fixes:
        for need in fix.config:
            known = values.setdefault(need.key, need)
            if known.value != need.value:
                message = f"{need.key}: {need.value} here, and {known.value} elsewhere"
                node = need.place or fix.node
                home = migration.trial.modules.home(node)
                migration.findings.append(finding_at(home, node, Kind.LEFT, fix.rule, message))
    start, size = "metric:", values.get("global_batch_size")
    return ConfigFacts(
        metric_renames={
            key.removeprefix(start): str(need.value)
            for key, need in values.items()
            if key.startswith(start)
        },
        batch_size=size.value if size is not None and isinstance(size.value, int) else None,
        cluster=migration.options.cluster,
    )


def _script(reading: Reading, path: Path, config: Config) -> str | None:
    """The trial that a config's script has become."""
    name = config.scalar("entrypoint", "script")
    places = (base / name for base in (path.parent, reading.project.home) if name)
    script = next((reading.scripts[place] for place in places if place in reading.scripts), None)
    return (script.entrypoint or None) if script is not None else None


def _entrypoint(
    trial: Trial, config: Config, found: ast.ClassDef | None, is_init_first: bool
) -> str | None:
    """The trial of a config as ``module:Class``."""
    if found is None:
        names = [] if trial.entry_names else [*trial.exposed]
        return f"__init__:{names[0]}" if len(names) == 1 else None
    if is_init_first and not config.trial.partition(":")[0]:
        return f"__init__:{found.name}"  # which the old harness imported too
    return f"{trial.modules.name_of(trial.modules.home(found))}:{found.name}"


def _chosen(trial: Trial, named: str) -> ast.ClassDef | None:
    """The class of a name, or else the only one that ``__init__.py`` exposes or that there is."""
    classes = [
        one
        for one in trial.classes
        if trial.modules.home(one).is_module
        and any(base in trial.roots for base in trial.flow.bases(one))
    ]
    concrete = [one for one in classes if one in trial.concrete]
    by_name = [one for one in classes if one.name == named]
    if len(by_name) == 1:
        return by_name[0]
    exposed = [one for one in classes if any(one in kinds for kinds in trial.exposed.values())]
    found = concrete if named and len(concrete) == 1 else exposed or concrete
    return found[0] if len(found) == 1 else None
