"""The report in lines, for people at a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import click

from pedl2det.engine.result import Change, Outcome, Result, Status
from pedl2det.findings import Finding, Kind
from pedl2det.report import proof
from pedl2det.report.content import by_urgency
from pedl2det.report.hiding import Hider
from pedl2det.rules import titles
from pedl2det.visible import shown, visible

#: How a finding's message begins; what a person has to do needs no label.
_LABELS = {
    Kind.NOTE: "note: ",
    Kind.DIFFERENT: "trains differently: ",
    Kind.ASSUMPTION: "assumes: ",
    Kind.LEFT: "",
    Kind.LEFTOVER: "no trial needs this file: ",
    Kind.SUPPRESSED: "left by your choice: ",
    Kind.BAD_INPUT: "bad input: ",
    Kind.DEFECT: "defect of pedl2det: ",
}
#: A count of findings in words: of one, and of more.
_COUNTED = {
    Kind.NOTE: ("note", "notes"),
    Kind.DIFFERENT: ("trains differently", "train differently"),
    Kind.ASSUMPTION: ("assumption", "assumptions"),
    Kind.LEFT: ("left", "left"),
    Kind.LEFTOVER: ("left in no trial", "left in no trial"),
    Kind.SUPPRESSED: ("left by your choice", "left by your choice"),
    Kind.BAD_INPUT: ("bad input", "bad inputs"),
    Kind.DEFECT: ("defect of pedl2det", "defects of pedl2det"),
}
_COLORS = {
    Kind.NOTE: "cyan",
    Kind.DIFFERENT: "yellow",
    Kind.ASSUMPTION: "cyan",
    Kind.LEFT: "red",
    Kind.LEFTOVER: "yellow",
    Kind.SUPPRESSED: "yellow",
    Kind.BAD_INPUT: "red",
    Kind.DEFECT: "magenta",
}


def summary(result: Result, done: str) -> Iterator[str]:
    """Return the report in lines: the findings, what became of each file and trial, the counts.

    Args:
        result: what the migration does.
        done: the word for it: "rewritten", or "would be rewritten".
    """
    hider = Hider.of(result)
    for finding in by_urgency(result):
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
    message = _LABELS[finding.kind] + hider.in_prose(finding.message)
    place = f"{shown(finding.path)}:{finding.place}"
    if finding.column:
        place += f":{finding.column}"
    rule = click.style(visible(label(finding.rule)), fg=_COLORS[finding.kind], bold=True)
    yield f"{click.style(visible(place), bold=True)}: {rule}: {visible(message)}"
    if finding.kind in (Kind.NOTE, Kind.ASSUMPTION) and not finding.help:
        return
    yield from _code(finding, hider)
    for number, line in enumerate(hider.in_prose(finding.help).splitlines()):
        start = f"{click.style('help', fg='green', bold=True)}: " if number == 0 else "      "
        yield f"    {start}{visible(line)}"


def _code(finding: Finding, hider: Hider) -> Iterator[str]:
    """The line of code, and a line with carets below the place."""
    code = finding.code.rstrip()
    if not code.strip():
        return
    lead = len(code) - len(code.lstrip())
    text = visible(hider.in_prose(code[lead:].replace("\t", " ")))
    yield f"    {text}"
    if finding.column > lead and text == code[lead:].replace("\t", " "):
        size = max(finding.end_column - finding.column, 1)
        carets = " " * (finding.column - 1 - lead) + "^" * size
        yield f"    {click.style(carets, fg=_COLORS[finding.kind], bold=True)}"


def told(outcome: Outcome) -> str:
    """Return in words what becomes of a trial."""
    places = plural(outcome.places, "place")
    match outcome.status:
        case Status.REWRITTEN | Status.ASSUMED if outcome.is_proved:
            return f"proved: {places} rewritten"
        case Status.REWRITTEN:
            return f"rewritten, not proved: {places}"
        case Status.ASSUMED:
            assumed = plural(outcome.assumptions, "assumption")
            return f"rewritten with {assumed}, not proved: {places}"
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
        f"{found[kind]} {_COUNTED[kind][found[kind] > 1]}" for kind in reversed(Kind) if found[kind]
    )


def _what(old: bytes | None, changes: Sequence[Change], done: str) -> str:
    if old is None:
        return done.replace("rewritten", "written")
    places = ", ".join(
        label(rule) if count == 1 else f"{label(rule)} x{count}"
        for rule, count in rules_of(changes).items()
    )
    return f"{done} by {places}" if places else done


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
