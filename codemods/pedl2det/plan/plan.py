"""What shall become of one trial: edits, claims and findings, before anything is written."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from pathlib import Path

from pedl2det.edit.config_edits import ConfigEdits
from pedl2det.edit.file_edits import FileEdits
from pedl2det.edit.making import Edit, goes
from pedl2det.facts.config import Config
from pedl2det.facts.occurrences import Occurrence
from pedl2det.facts.project import TrialProject
from pedl2det.facts.skipping import skipped_in_text
from pedl2det.facts.source import Source
from pedl2det.findings import Finding, Kind
from pedl2det.flow.metric_names import MetricNames
from pedl2det.flow.reach import Obstacle, Reach


@dataclass(frozen=True)
class Change:
    """One place that a rule rewrites."""

    rule: str
    path: Path
    line: int
    cell: int | None = None  # of a notebook


@dataclass
class Plan:
    """The plan for one trial.

    Attributes:
        project: the trial.
        findings: what there is to say.
        changes: what is rewritten, by which rule.
        constructor: statements for the trial's constructor, after ``self.context = context``.
        imports: the import statements that each file needs.
        gone: the local names that each file no longer imports.
        kept: legacy names that stay with a line that the user wants left.
        reach: how the context reaches a place.
        metric_names: what becomes of the names of metrics, where they change.
    """

    project: TrialProject
    findings: list[Finding] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    constructor: list[str] = field(default_factory=list)
    imports: dict[Path, set[str]] = field(default_factory=dict)
    gone: dict[Path, set[str]] = field(default_factory=dict)
    kept: list[Occurrence] = field(default_factory=list)
    reach: Reach = field(init=False)
    metric_names: MetricNames | None = None
    _files: dict[Path, FileEdits] = field(default_factory=dict)
    _configs: dict[Path, ConfigEdits] = field(default_factory=dict)
    _claimed: set[int] = field(default_factory=set)
    _dropped: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.reach = Reach(self.project)

    # What rules ask for.

    def context(
        self, rule: str, source: Source, node: ast.expr | ast.stmt, what: str
    ) -> str | None:
        """The expression that is the context where a node stands, or a refusal.

        Args:
            rule: the rule that asks.
            source: the file.
            node: the place.
            what: what stands there and needs the context, for the refusal.
        """
        found = self.reach.context(source, node)
        if isinstance(found, Obstacle):
            self.refuse(rule, source, node, f"{what}, where the context is out of reach: {found}")
            return None
        return found

    def file(self, source: Source) -> FileEdits:
        """The edits of a file."""
        return self._files.setdefault(source.path, FileEdits(source))

    def config(self, config: Config) -> ConfigEdits:
        """The edits of a config."""
        return self._configs.setdefault(config.path, ConfigEdits(config))

    def expression(self, rule: str, source: Source, node: ast.expr, edit: Edit) -> None:
        """Rewrite an expression."""
        if self._may_change(rule, source, node):
            self.file(source).expression(node, edit)

    def line(self, rule: str, source: Source, node: ast.stmt, edit: Edit) -> None:
        """Rewrite a simple statement."""
        if self._may_change(rule, source, node):
            self.file(source).line(node, edit)

    def definition(
        self, rule: str, source: Source, node: ast.FunctionDef | ast.ClassDef, edit: Edit
    ) -> None:
        """Rewrite a function or class."""
        if self._may_change(rule, source, node):
            self.file(source).definition(node, edit)

    def changed(self, rule: str, source: Source, node: ast.stmt | ast.expr | ast.alias) -> None:
        """Count a place as rewritten."""
        change = Change(rule, source.path, node.lineno)
        if change not in self.changes:
            self.changes.append(change)

    def _may_change(self, rule: str, source: Source, node: ast.stmt | ast.expr) -> bool:
        """Count a place as rewritten, unless the user wants its line left: then the trial stays."""
        if node.lineno in source.skipped:
            message = "this line is skipped, and would be rewritten: the trial stays as it is"
            finding = Finding(Kind.SUPPRESSED, rule, source.path, node.lineno, message)
            if finding not in self.findings:
                self.findings.append(finding)
            return False
        self.changed(rule, source, node)
        return True

    def claim(self, node: ast.AST) -> None:
        """Answer for the legacy names below a node: they will be gone."""
        self._claimed.update(id(child) for child in ast.walk(node))

    def keep(self, found: Occurrence) -> None:
        """Have a legacy name stay, because something stays that the user wants left."""
        self.kept.append(found)
        self.claim(found.node)

    def is_claimed(self, node: ast.AST) -> bool:
        """Whether a rule answers for a node."""
        return id(node) in self._claimed

    def drop(self, node: ast.AST) -> None:
        """Say that a piece of code will be gone, and its names with it."""
        self._dropped.update(id(child) for child in ast.walk(node))

    def is_dropped(self, node: ast.AST) -> bool:
        """Whether a node will be gone."""
        return id(node) in self._dropped

    def require(self, source: Source, statement: str) -> None:
        """Have a file import something: ``import x as y`` or ``from x import y``."""
        self.imports.setdefault(source.path, set()).add(statement)

    def remove(self, rule: str, source: Source, node: ast.stmt) -> None:
        """Take a statement of the module itself away, and what it says with it."""
        self.line(rule, source, node, goes)
        self.drop(node)
        self.gone.setdefault(source.path, set())

    def unimport(self, source: Source, name: str) -> None:
        """Have a file no longer import something, which it knows under this local name."""
        self.gone.setdefault(source.path, set()).add(name)

    def refuse(self, rule: str, source: Source, node: ast.AST, message: str) -> None:
        """Leave the trial as it is: a person decides about this place."""
        line = getattr(node, "lineno", 1)
        kind = Kind.PERSON
        if line in source.skipped:
            kind, message = Kind.NOTE, f"{message} (left, as your comment says)"
        finding = Finding(kind, rule, source.path, line, message)
        if finding not in self.findings:
            self.findings.append(finding)

    def note(self, rule: str, source: Source, node: ast.AST, message: str) -> None:
        """Say something about a place that is rewritten."""
        line = getattr(node, "lineno", 1)
        self.findings.append(Finding(Kind.NOTE, rule, source.path, line, message))

    def different(self, rule: str, source: Source, node: ast.AST, message: str) -> None:
        """Say that something is trained differently after the rewrite, and why."""
        line = getattr(node, "lineno", 1)
        self.findings.append(Finding(Kind.DIFFERENT, rule, source.path, line, message))

    # What the driver asks.

    @property
    def unclaimed(self) -> list[Occurrence]:
        """The legacy names for which no rule answers."""
        return [found for found in self.project.occurrences if not self.is_claimed(found.node)]

    @property
    def is_refused(self) -> bool:
        """Whether the trial must stay as it is; one config of several may stay by itself."""
        paths = {config.path for config in self.project.configs}
        left = [finding for finding in self.findings if finding.kind.is_left]
        left_configs = {one.path for one in left if one.kind is not Kind.BAD_INPUT} & paths
        return bool(paths and left_configs == paths) or any(
            finding.path not in left_configs or finding.kind is Kind.BAD_INPUT for finding in left
        )

    @property
    def size(self) -> int:
        """How much was asked for: it grows with everything that is not a mere finding."""
        return (
            len(self.changes)
            + len(self.constructor)
            + len(self._claimed)
            + len(self._dropped)
            + sum(len(statements) for statements in self.imports.values())
            + sum(edits.size for edits in self._files.values())
            + sum(edits.size for edits in self._configs.values())
        )

    @property
    def edited_files(self) -> list[FileEdits]:
        """The files with something to change."""
        return [edits for edits in self._files.values() if not edits.is_empty]

    def leave_skipped_configs(self) -> None:
        """Leave each config in which a line would be rewritten that the user wants left."""
        for edits in self.edited_configs:
            skipped = skipped_in_text(edits.config.text)
            for rule, line in edits.rules:
                if line in skipped:
                    message = "this line is skipped, and would be rewritten: the config stays"
                    self.findings.append(
                        Finding(Kind.SUPPRESSED, rule, edits.config.path, line, message)
                    )

    @property
    def edited_configs(self) -> list[ConfigEdits]:
        """The configs with something to change, and nothing for a person to decide."""
        left = {finding.path for finding in self.findings if finding.kind.is_left}
        return [
            edits
            for edits in self._configs.values()
            if edits.rules and edits.config.path not in left
        ]
