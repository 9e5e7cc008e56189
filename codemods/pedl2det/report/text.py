"""The report in lines, for people at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click

from pedl2det.engine.result import Change, Outcome, Result, Status
from pedl2det.findings import Finding, Kind
from pedl2det.report import proof
from pedl2det.report.content import WORDS
from pedl2det.report.hiding import Hider
from pedl2det.rules import titles
from pedl2det.visible import shown, visible


def summary(result: Result, done: str) -> Iterator[str]:
    """Return the report in lines: the findings, what became of each file and trial, the counts.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    hider = Hider.of(result)
    for kind in reversed(Kind):
        for finding in result.of_kind(kind):
            yield from described(finding, hider)
    changes = result.changes_by_file()
    for file in result.files:
        yield visible(f"{shown(file.path)}: {_what(file.old, changes.get(file.path, []), done)}")
    for outcome in result.outcomes:
        yield visible(f"{shown(outcome.directory)}: {told(outcome)}")
        if outcome.proof is not None:
            yield from proof.lines(outcome.proof)
    if not result.names and not result.findings and not result.files:
        yield "nothing to do: no file uses the old API"
        return
    yield counts(result, done)
    if result.findings:
        yield counts_by_kind(result)


def described(finding: Finding, hider: Hider) -> Iterator[str]:
    """Return a finding in lines: the place and message, the code with a caret, the help."""
    words = WORDS[finding.kind]
    place = f"{shown(finding.path)}:{finding.place}"
    if finding.column:
        place += f":{finding.column}"
    rule = click.style(visible(label(finding.rule)), fg=words.color, bold=True)
    message = visible(words.label + hider.in_prose(finding.message))
    yield f"{click.style(visible(place), bold=True)}: {rule}: {message}"
    if finding.kind is Kind.NOTE and not finding.help:
        return
    code = finding.code.replace("\t", " ").rstrip()
    lead = len(code) - len(code.lstrip())
    text = visible(hider.in_prose(code[lead:]))
    if text:
        yield f"    {text}"
    if text and finding.column > lead and text == code[lead:]:
        size = max(finding.end_column - finding.column, 1)
        carets = " " * (finding.column - 1 - lead) + "^" * size
        yield f"    {click.style(carets, fg=words.color, bold=True)}"
    for number, line in enumerate(hider.in_prose(finding.help).splitlines()):
        start = f"{click.style('help', fg='green', bold=True)}: " if number == 0 else "      "
        yield f"    {start}{visible(line)}"


def told(outcome: Outcome) -> str:
    """Return in words what becomes of a trial."""
    places = plural(outcome.places, "place")
    if outcome.status.is_finished:
        if outcome.is_proved:
            return f"proved: {places} rewritten"
        return f"rewritten, not proved: {places}"
    left = f"{plural(outcome.left, 'place')} left"
    begun = "left by your choice" if outcome.status is Status.SUPPRESSED else "begun"
    if outcome.written:
        return f"{begun}: {places} rewritten, {left}"
    if not outcome.places:
        return f"{begun}: {left}"
    return f"{begun}, not written: {places} can be rewritten, {left}; --partial writes it"


def counts(result: Result, done: str) -> str:
    """Return how many trials and legacy names there are, and what became of them."""
    has_proofs = any(outcome.proof is not None for outcome in result.outcomes)
    proved = f", {result.proved} proved" if has_proofs else ""
    return (
        f"{result.migrated} of {plural(result.trials, 'trial')} {done}{proved}; "
        f"{plural(result.names, 'legacy name')}: {result.rewritten} {done}, "
        f"{result.marked} left, {result.suppressed} suppressed"
    )


def counts_by_kind(result: Result) -> str:
    """Return how many findings of each kind there are, the most urgent first."""
    found = Counter(finding.kind for finding in result.findings)
    return ", ".join(
        f"{found[kind]} {WORDS[kind].one if found[kind] == 1 else WORDS[kind].many}"
        for kind in reversed(Kind)
        if found[kind]
    )


def _what(old: bytes | None, changes: Sequence[Change], done: str) -> str:
    if old is None:
        return done.replace("rewritten", "written")
    return f"{done} by {by_rules(changes)}" if changes else done


def by_rules(changes: Sequence[Change]) -> str:
    """Return the rules that rewrite a file, with the number of places of each."""
    return ", ".join(
        label(rule) if count == 1 else f"{label(rule)} x{count}"
        for rule, count in rules_of(changes).items()
    )


def label(rule: str) -> str:
    """Return the id of a rule with its name: ``P011 callbacks``."""
    title = titles().get(rule, rule)
    return rule if title == rule else f"{rule} {title}"


def rules_of(changes: Sequence[Change]) -> dict[str, int]:
    """Return how many places of a file each rule rewrites."""
    return dict(sorted(Counter(change.rule for change in changes).items()))


def plural(count: int, what: str) -> str:
    """Return a count with its noun."""
    return f"{count} {what}{'' if count == 1 else 's'}"
