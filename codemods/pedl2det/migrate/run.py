"""The way of the code: paths -> scan -> plan -> edit -> check -> result, all before any writing.

A trial is migrated whole or not at all: half of one would be neither an old nor a new trial.
"""

from __future__ import annotations

import functools
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TypeVar

from pedl2det.facts.config import Config, legacy_keys
from pedl2det.facts.project import TrialProject, occurrences
from pedl2det.facts.source import Source
from pedl2det.facts.tree import files_below, is_python
from pedl2det.findings import Finding, Kind, NoPlace
from pedl2det.flow.metric_names import MetricNames
from pedl2det.migrate.choice import EVERYTHING, Choice
from pedl2det.migrate.excluding import excluded_files, without_excluded
from pedl2det.migrate.jobs import in_order
from pedl2det.migrate.scan import SCAN, find_projects
from pedl2det.migrate.shared import settle
from pedl2det.migrate.whole_files import migrate_files
from pedl2det.plan import Change, Plan
from pedl2det.plan.constructor import plan_constructor
from pedl2det.plan.handing_on import plan_handing_on
from pedl2det.rules import RULES, Rule, imports, run_getters, trial_class
from pedl2det.tables.legacy import mentions_legacy


@dataclass(frozen=True)
class NewFile:
    """A file and what it shall hold.

    Attributes:
        path: where it is.
        old: its bytes.
        new: its new bytes.
    """

    path: Path
    old: bytes
    new: bytes


@dataclass
class Result:
    """What a migration does, or would do.

    Attributes:
        files: the files to write.
        changes: the places that rules rewrote.
        findings: what there is to say.
        trials: how many old trials were found.
        migrated: how many of them are rewritten.
        rewritten: legacy names that will be gone.
        refused: legacy names that stay, each with a finding.
        suppressed: legacy names that stay because the user said so.
        metric_names: what becomes of the names of metrics, by the trial's directory.
    """

    files: list[NewFile] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    trials: int = 0
    migrated: int = 0
    rewritten: int = 0
    refused: int = 0
    suppressed: int = 0
    metric_names: dict[Path, MetricNames] = field(default_factory=dict)

    def add(self, part: Result) -> None:
        """Take in what a part of the migration does."""
        for name in (attribute.name for attribute in fields(self)):
            mine, theirs = getattr(self, name), getattr(part, name)
            setattr(self, name, mine | theirs if isinstance(mine, dict) else mine + theirs)

    def of_kind(self, kind: Kind) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind is kind]


_TAIL = re.compile("#[^\r\n]*")

Watch = Callable[[Iterator[Result], int], Iterable[Result]]


def migrate(
    paths: list[Path],
    choice: Choice = EVERYTHING,
    jobs: int = 1,
    watch: Watch = lambda parts, total: parts,  # noqa: ARG005
) -> Result:
    """Plan the migration of every trial below some paths; nothing is written.

    Args:
        paths: files and directories.
        choice: what the user left out.
        jobs: no more processes than this.
        watch: is given the parts of the result as they come, and their number, and hands them on.

    Raises:
        Pedl2DetError: a process was killed.
    """
    files = files_below(paths)
    projects = find_projects(files)
    work = functools.partial(migrate_or_leave, choice=choice)
    parts = list(watch(in_order(work, projects, jobs), len(projects)))
    result = Result()
    for part in settle(projects, parts):
        result.add(part)
    migrate_files([file for file in files if not is_python(file)], result, choice, NewFile)
    return result


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
        problem = _problem_with(source, text, {one.name for one in plan.kept})
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


def _problem_with(source: Source, text: str, kept: set[str]) -> str | None:
    """What is wrong with a new text: it must parse, compile and be free of the old API."""
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, str(source.path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError) as error:
        return f"would not compile: {error}"
    if mentions_legacy(text.encode("utf-8", errors="replace")):
        new = Source.of(source.path, text)
        names = (found for found in occurrences(new) if not found.is_skipped)
        left = next((found for found in names if found.name not in kept), None)
        if left is not None:
            return f"would still use {left.name}"
    problem = source.problem_with(text)
    if problem is not None:
        return problem
    lost = _lost_comments(source.text, text)
    return f"would lose a comment: {min(lost)}" if lost else None


def _lost_comments(old: str, new: str) -> Counter[str]:
    """The comments of an old text that a new one has not.

    Most often every piece of text from a ``#`` to the end of its line is there still, and with it
    every comment; only else the comments are told from the rest, which takes long.
    """
    if not Counter(_TAIL.findall(old)) - Counter(_TAIL.findall(new)):
        return Counter()
    return _comments(old) - _comments(new)


def _comments(text: str) -> Counter[str]:
    """The comments that are meant for people, each as often as it stands there."""
    return Counter(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(imports.TOOL_COMMENTS)
    )
