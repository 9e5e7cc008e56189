"""What the user chose: rules that are left out, and files that no rule may write.

Neither may lead to half a trial. A rule that is left out still plans; a trial that needs it is
left whole, and so is one that needs an excluded file rewritten. Its names count as suppressed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.plan import Plan
from pedl2det.rules.rule import Rule


@dataclass(frozen=True)
class Choice:
    """What the user chose.

    Attributes:
        left_out: the ids of the rules that are left out.
        exclude: globs of files and directories, relative to ``base``.
        base: the directory of the pyproject.toml that has them.
        given: the paths on the command line: what is named there is not excluded.
    """

    left_out: frozenset[str] = frozenset()
    exclude: tuple[str, ...] = ()
    base: Path = Path()
    given: tuple[Path, ...] = ()

    def excludes(self, file: Path) -> bool:
        """Whether a glob means a file, or a directory above it but below a path that was given."""
        return any(
            any(_means(glob, path, self.base) for glob in self.exclude)
            for path in (file, *file.parents)
            if self.base in path.parents
            and not any(path == given or path in given.parents for given in self.given)
        )

    def plan(self, rule: Rule, project: TrialProject, plan: Plan) -> None:
        """Let a rule plan; if it is left out and wants anything, the trial is left.

        Its notes are said all the same, so that none is missed.
        """
        if rule.id not in self.left_out:
            rule.plan(project, plan)
            return
        findings, changes, size = len(plan.findings), len(plan.changes), plan.size
        configs = {edits.config.path: len(edits.rules) for edits in plan.edited_configs}
        rule.plan(project, plan)
        said = plan.findings[findings:]
        if plan.size == size and not any(_matters(finding) for finding in said):
            return
        plan.findings[findings:] = [_left_out(rule, one) if _matters(one) else one for one in said]
        if any(finding.kind is Kind.SUPPRESSED for finding in plan.findings[findings:]):
            return
        places = [(change.path, change.line) for change in plan.changes[changes:]]
        for edits in plan.edited_configs:
            before = configs.get(edits.config.path, 0)
            places += [(edits.config.path, line) for _, line in edits.rules[before:]]
        path, line = min(places, default=project.place)
        message = f"{rule.name} was left out, and this needs it: the trial stays as it is"
        plan.findings.append(Finding(Kind.SUPPRESSED, rule.id, path, line, message))


EVERYTHING = Choice()


def _matters(finding: Finding) -> bool:
    return finding.kind in (Kind.PERSON, Kind.DIFFERENT)


def _left_out(rule: Rule, finding: Finding) -> Finding:
    message = f"{finding.message} ({rule.name} was left out: the trial stays as it is)"
    return Finding(Kind.SUPPRESSED, rule.id, finding.path, finding.line, message)


def _means(glob: str, path: Path, base: Path) -> bool:
    """Whether a glob means a path: its name, or with a slash its place below the base."""
    if "/" not in glob.rstrip("/"):
        return fnmatchcase(path.name, glob.rstrip("/"))
    return fnmatchcase(path.relative_to(base).as_posix(), glob.strip("/"))
