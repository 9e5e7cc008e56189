"""A project without the files that the user excluded, as far as a trial can be without them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pedl2det.facts.project import TrialProject
from pedl2det.findings import Finding, Kind
from pedl2det.migrate.choice import Choice
from pedl2det.migrate.scan import SCAN, contract


def without_excluded(project: TrialProject, choice: Choice) -> TrialProject:
    """A project in which excluded files are not looked for the old API.

    A trial may need a file that is excluded: it is read all the same, unless it is no Python 3,
    which no trial can import. Where there is no trial, excluded files are passed over.
    """
    if not choice.exclude:
        return project
    sources = {
        name: source
        for name, source in project.sources.items()
        if project.trials or not choice.excludes(source.path)
    }
    findings = [
        finding
        for finding in project.findings
        if not choice.excludes(finding.path) or (project.trials and finding.path.suffix != ".py")
    ]
    left = replace(project, sources=sources, findings=findings)
    if project.findings and not findings and (left.trials or left.occurrences):
        left.findings += contract(left)
    return left


def excluded_files(files: list[Path], choice: Choice) -> list[Finding]:
    """What there is to say about excluded files that a trial needs rewritten."""
    message = "this file is excluded, and would be rewritten: the trial stays as it is"
    return [
        Finding(Kind.SUPPRESSED, SCAN, path, 1, message) for path in files if choice.excludes(path)
    ]
