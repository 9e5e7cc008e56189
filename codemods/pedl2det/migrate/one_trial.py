"""One trial migrated, whole or not at all: half of one would be neither an old nor a new trial."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from pedl2det.facts.config import Config, legacy_keys
from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind, NoPlace
from pedl2det.migrate.check import problem_with
from pedl2det.migrate.choice import EVERYTHING, Choice
from pedl2det.migrate.excluding import excluded_files, without_excluded
from pedl2det.migrate.result import NewFile, Result
from pedl2det.migrate.scan import SCAN
from pedl2det.plan import Change, Plan
from pedl2det.plan.constructor import plan_constructor
from pedl2det.plan.handing_on import plan_handing_on
from pedl2det.rules import RULES, Rule, imports, run_getters, trial_class


def migrate_or_leave(project: TrialProject, choice: Choice = EVERYTHING) -> Result:
    """Plan the migration of one trial, or leave it if its code or config nests without end."""
    try:
        return migrate_project(project, choice)
    except RecursionError:
        path, line = project.place if project.trials or project.script else (project.directory, 1)
        message = "an expression or a config of this trial is nested too deeply: write it flatter"
        return Result(
            findings=[Finding(Kind.PERSON, SCAN, path, line, message)],
            trials=bool(project.trials or project.script),
            refused=len(project.occurrences),
        )


def migrate_project(project: TrialProject, choice: Choice = EVERYTHING) -> Result:
    """Plan the migration of one trial; the result can be pickled."""
    left = without_excluded(project, choice)
    result = Result(trials=bool(left.trials or left.script))
    if (
        not left.findings and not left.trials and left.script is None
    ):  # every old name stands in a file that is excluded
        result.suppressed = len(project.occurrences) + len(project.skipped)
        return result
    plan = plan_trial(left, choice)
    plan.leave_skipped_configs()
    files = [] if plan.is_refused else _edited(plan)
    plan.findings += excluded_files([file.path for file in files], choice)
    names = len(left.occurrences) - len(plan.kept)
    result.suppressed = len(project.occurrences) - names + len(project.skipped)
    said = plan.findings
    if plan.is_refused:  # what was noted of its rewriting is not done
        said = [one for one in said if one.kind.is_left]
    result.findings = _placed(project, said)
    if not plan.is_refused:
        result.files, result.changes = files, _placed(project, plan.changes)
        result.trials = result.migrated = int(bool(files))  # without any, it was migrated before
        result.rewritten = names
        if plan.metric_names is not None:
            result.metric_names[project.directory] = plan.metric_names
    elif all(one.kind is Kind.SUPPRESSED for one in plan.findings if one.kind.is_left):
        result.suppressed += names
    else:
        result.refused = names
    return result


Placed = TypeVar("Placed", Change, Finding)


def _placed(project: TrialProject, items: list[Placed]) -> list[Placed]:
    """What is said of lines of notebooks, said of their cells."""
    notebooks = {one.path: one for one in project.sources.values() if not one.is_module}
    placed = []
    for item in items:
        notebook = notebooks.get(item.path)
        if notebook is not None and item.cell is None:
            cell, line = notebook.place(item.line)
            item = replace(item, cell=cell, line=line)
        placed.append(item)
    return placed


def plan_trial(project: TrialProject, choice: Choice = EVERYTHING) -> Plan:
    """Let the rules plan one trial, and answer for every legacy name."""
    if project.findings:  # what is wrong with it already
        return Plan(project, findings=list(project.findings))
    plan = plan_rules(project, RULES, choice)
    for found in plan.unclaimed:
        plan.refuse(
            SCAN,
            found.source,
            found.node,
            f"{found.name} may mean something else here"
            if found.ambiguous
            else f"{found.name}: no rule rewrites this use of it",
        )
    return plan


def plan_rules(project: TrialProject, rules: Iterable[Rule], choice: Choice = EVERYTHING) -> Plan:
    """Let some rules plan; imports come last, because they follow from everything else."""
    plan = Plan(project)
    rules = [rule for rule in rules if project.generation in rule.generations]
    for rule in rules:
        if rule is not imports.RULE:
            choice.plan(rule, project, plan)
    if not plan.is_refused:
        plan_constructor(project, plan, trial_class.RULE.id)
        plan_handing_on(plan, run_getters.RULE.id)
    if imports.RULE in rules:
        choice.plan(imports.RULE, project, plan)
    return plan


def _edited(plan: Plan) -> list[NewFile]:
    """The new files of a trial, each checked; a file that fails the check refuses the trial."""
    files: list[NewFile] = []
    for edits in plan.edited_files:
        source = edits.source
        try:
            text = edits.apply()
        except NoPlace as error:
            finding = Finding(Kind.PERSON, SCAN, source.path, error.line, str(error))
            plan.findings.append(finding)
            return []
        problem = problem_with(source, text, {one.name for one in plan.kept})
        if problem:
            plan.refuse(SCAN, source, source.tree, f"the rewritten file {problem}")
            return []
        if text != source.text:
            files.append(NewFile(source.path, source.encoded(source.text), source.encoded(text)))
    for config in plan.edited_configs:
        path, edited = config.config.path, config.result()
        stay = [] if edited is None else legacy_keys(edited)
        if edited is None or stay:
            plan.findings.append(_left_config(config.config, stay))
            continue
        plan.changes += [Change(rule, path, line) for rule, line in config.rules]
        encoded = config.config.encoded
        files.append(NewFile(path, encoded(config.config.text), encoded(edited)))
    return [] if plan.is_refused else files


def _left_config(config: Config, stay: list[str]) -> Finding:
    """That a config cannot be edited by span; some keys would stay as they were."""
    message = "the edited config would not mean what it should (an anchor, a merge, a key twice?)"
    line = 1
    if stay:
        message = f"{', '.join(stay)}: {message}"
        entry = config.entry(*stay[0].split("."))
        line = entry.line if entry is not None else 1
    return Finding(Kind.PERSON, SCAN, config.path, line, message)
