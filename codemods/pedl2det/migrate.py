"""The way of the code: paths -> scan -> plan -> edit -> check -> result, all before any writing.

A trial is migrated whole or not at all: half of one would be neither an old nor a new trial.
"""

from __future__ import annotations

import io
import tokenize
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.constructor import plan_constructor
from pedl2det.edits import NoPlace
from pedl2det.findings import Finding, Kind, Unreadable
from pedl2det.plan import Change, Plan
from pedl2det.project import TrialProject, occurrences
from pedl2det.rules import OF_TRIAL_CLASSES, RULES, Rule, imports, trial_class
from pedl2det.scan import SCAN, find_projects
from pedl2det.source import Source
from pedl2det.yaml_edit import Config


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
    """

    files: list[NewFile] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    trials: int = 0
    migrated: int = 0
    rewritten: int = 0
    refused: int = 0
    suppressed: int = 0

    def of_kind(self, kind: Kind) -> list[Finding]:
        """The findings of one kind."""
        return [finding for finding in self.findings if finding.kind is kind]


def migrate(paths: list[Path]) -> Result:
    """Plan the migration of every trial below some paths; nothing is written."""
    result = Result()
    for project in find_projects(paths):
        result.trials += bool(project.trials or project.script)
        plan = plan_trial(project)
        files = [] if plan.is_refused else _edited(plan)
        result.findings += plan.findings
        if plan.is_refused:
            result.refused += len(project.occurrences)
        else:
            result.files += files
            result.changes += plan.changes
            result.migrated += 1
            result.rewritten += len(project.occurrences)
    return result


def plan_trial(project: TrialProject) -> Plan:
    """Let the rules plan one trial, and answer for every legacy name."""
    if project.findings:  # what is wrong with it already
        return Plan(project, findings=list(project.findings))
    plan = plan_rules(project, RULES)
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


def plan_rules(project: TrialProject, rules: Iterable[Rule]) -> Plan:
    """Let some rules plan; imports come last, because they follow from everything else."""
    plan = Plan(project)
    rules = [rule for rule in rules if project.script is None or rule not in OF_TRIAL_CLASSES]
    for rule in rules:
        if rule is not imports.RULE:
            rule.plan(project, plan)
    if not plan.is_refused:
        plan_constructor(project, plan, trial_class.RULE.id)
    if imports.RULE in rules:
        imports.RULE.plan(project, plan)
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
        problem = _problem_with(source, text)
        if problem:
            plan.refuse(SCAN, source, source.tree, f"the rewritten file {problem}")
            return []
        if text != source.text:
            files.append(NewFile(source.path, source.encoded(source.text), source.encoded(text)))
    for config in plan.edited_configs:
        new_text = config.result()
        path = config.config.path
        if new_text is None or Config.of(path, new_text).legacy_keys():
            message = "the edited config would not mean what it should (an anchor, a merge?)"
            plan.findings.append(Finding(Kind.PERSON, SCAN, path, 1, message))
            return []
        plan.changes += [Change(rule, path, line) for rule, line in config.rules]
        encoded = config.config.encoded
        files.append(NewFile(path, encoded(config.config.text), encoded(new_text)))
    return files


def _problem_with(source: Source, text: str) -> str | None:
    """What is wrong with a new text: it must parse, compile and be free of the old API."""
    try:
        new = Source.of(source.path, text)
        compile(new.tree, str(source.path), "exec", dont_inherit=True)
    except (Unreadable, SyntaxError, ValueError) as error:
        return f"would not compile: {error}"
    left = next(occurrences(new), None)
    if left is not None:
        return f"would still use {left.name}"
    lost = _comments(source.text) - _comments(text)
    return f"would lose a comment: {min(lost)}" if lost else None


def _comments(text: str) -> Counter[str]:
    """The comments that are meant for people, each as often as it stands there."""
    return Counter(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(imports.TOOL_COMMENTS)
    )
