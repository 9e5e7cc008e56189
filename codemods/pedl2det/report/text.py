"""The report in lines for people at a terminal, up to the command to call next."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from pedl2det.engine.migration import Change, Outcome, Proof, Result, Status
from pedl2det.findings import Finding, Kind
from pedl2det.report.hiding import Hider
from pedl2det.rules import titles
from pedl2det.visible import shown, visible

_SHOWN = 5  # places that were not executed


class Words(NamedTuple):
    """How reports name a kind of finding."""

    level: str  # "note", "warning" or "error", as machines count
    color: str  # on a terminal
    one: str  # its name after a count of one
    many: str  # its name after other counts
    label: str | None = None  # how a line about it begins; None for ``one`` and a colon


WORDS = {
    Kind.NOTE: Words("note", "cyan", "note", "notes"),
    Kind.DIFFERENT: Words("note", "yellow", "trains differently", "train differently"),
    Kind.LEFT: Words("warning", "red", "left", "left", ""),  # for a person to do
    Kind.LEFTOVER: Words(
        "note", "yellow", "left in no trial", "left in no trial", "no trial needs this file: "
    ),
    Kind.SUPPRESSED: Words("note", "yellow", "left by your choice", "left by your choice"),
    Kind.BAD_INPUT: Words("error", "red", "bad input", "bad inputs"),
    Kind.DEFECT: Words("error", "magenta", "defect of pedl2det", "defects of pedl2det"),
}


def summary(result: Result, done: str) -> Iterator[str]:
    """Yield the report in lines: the findings, each file and trial, the counts.

    ``done`` is "rewritten" or "would be rewritten".
    """
    hider = Hider.of(result)
    for kind in reversed(Kind):
        for finding in result.of_kind(kind):
            yield from describe_finding(finding, hider)
    changes = result.changes_by_file()
    for file in result.files:
        what = done if file.old is not None else done.replace("rewritten", "written")
        if file.old is not None and file.path in changes:
            what += f" by {by_rules(changes[file.path])}"
        yield visible(f"{shown(file.path)}: {what}")
    for outcome in result.outcomes:
        yield visible(f"{shown(outcome.directory)}: {describe_outcome(outcome)}")
        if outcome.proof is not None:
            yield from _shown_proof(outcome.proof)
    if not result.names and not result.findings and not result.files:
        yield "nothing to do: no file uses the old API"
        return
    yield counts(result, done)
    by_kind = Counter(finding.kind for finding in result.findings)
    words = ((by_kind[kind], WORDS[kind]) for kind in reversed(Kind) if by_kind[kind])
    if by_kind:
        yield ", ".join(f"{count} {word.one if count == 1 else word.many}" for count, word in words)


def describe_finding(finding: Finding, hider: Hider) -> Iterator[str]:
    """Yield a finding in lines: the place and message, the code with a caret, the help."""
    words = WORDS[finding.kind]
    place = f"{shown(finding.path)}:{finding.place}"
    if finding.column:
        place += f":{finding.column}"
    rule = click.style(visible(label(finding.rule)), fg=words.color, bold=True)
    start = f"{words.one}: " if words.label is None else words.label
    message = visible(start + hider.in_prose(finding.message))
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


def _shown_proof(proof: Proof) -> Iterator[str]:
    """Yield a proof in lines: the verdict, then its circumstances."""
    yield visible(f"{shown(proof.directory)}: verify: {message_of(proof)}")
    known = facts(proof)
    brief = ("Compared", "Config", "Date", "Versions")
    yield visible("    " + "; ".join(known[title] for title in brief if title in known))
    if places := unexecuted(proof):
        more = f" and {len(places) - _SHOWN} more places" if len(places) > _SHOWN else ""
        yield visible(f"    Not executed: {', '.join(places[:_SHOWN])}{more}")


def message_of(proof: Proof) -> str:
    """Return the verdict in one line, without credentials."""
    places = {proof.directory, *(config.parent for config in proof.configs)}
    return Hider(tuple(sorted(places))).in_prose(proof.message)


def facts(proof: Proof) -> dict[str, str]:
    """Return the circumstances of a proof by their titles; what is not known is left out."""
    compared = f"{proof.batches} of {proof.total}" if proof.total else str(proof.batches)
    known = {
        "Date": proof.date,
        "Trial": str(proof.directory.resolve()),
        "Commit": proof.commit,
        "Compared": f"{compared} batches" if proof.batches else "none",
        "Config": ", ".join(map(shown, proof.configs)),
        "Not executed": ", ".join(unexecuted(proof)),
        "Seed": "" if proof.seed is None else str(proof.seed),
        "Versions": proof.versions,
        "Duration": f"{proof.seconds:.0f} s",
    }
    return {title: value for title, value in known.items() if value}


def unexecuted(proof: Proof) -> list[str]:
    """Return the places of the new code that no training executed: ``model_def.py:12-14``."""
    home, places = proof.directory.resolve(), []
    for path, lines in sorted(proof.unrun.items()):
        name = path.relative_to(home) if path.is_relative_to(home) else path
        for first in sorted(line for line in lines if line - 1 not in lines):
            last = next(line for line in range(first, max(lines) + 1) if line + 1 not in lines)
            places.append(f"{name}:{first}" + (f"-{last}" if last != first else ""))
    return places


def describe_outcome(outcome: Outcome) -> str:
    """Return in words how far a trial is migrated."""
    places = plural(outcome.places, "place")
    if outcome.status.is_finished and not outcome.places:
        return f"nothing to rewrite{', proved' if outcome.is_proved else ''}"
    if outcome.status.is_finished:
        done = "proved: {} rewritten" if outcome.is_proved else "rewritten, not proved: {}"
        return done.format(places)
    left = f"{plural(outcome.left, 'place')} left"
    begun = "left by your choice" if outcome.status is Status.SUPPRESSED else "begun"
    if outcome.written:
        return f"{begun}: {places} rewritten, {left}"
    if not outcome.places:
        return f"{begun}: {left}"
    return f"{begun}, not written: {places} can be rewritten, {left}; --partial writes it"


def counts(result: Result, done: str) -> str:
    """Return how many trials and legacy names there are, and how many are done or left."""
    outcomes = result.outcomes
    finished = sum(outcome.status.is_finished and outcome.places > 0 for outcome in outcomes)
    has_proofs = any(outcome.proof is not None for outcome in outcomes)
    proved = f", {sum(outcome.is_proved for outcome in outcomes)} proved" if has_proofs else ""
    return (
        f"{finished} of {plural(len(outcomes), 'trial')} {done}{proved}; "
        f"{plural(result.names, 'legacy name')}: {result.rewritten} {done}, "
        f"{result.marked} left, {result.suppressed} suppressed"
    )


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


def next_steps(
    result: Result, arguments: Sequence[str], *, writes: bool, proves: bool
) -> Iterator[str]:
    """Yield what to do next in lines, with commands that work as they are printed.

    The arguments are those that the next command needs again: what is left out, and the paths.
    """
    again = shlex.join(["pedl2det", "migrate", *arguments])
    if any(outcome.status is Status.BEGUN for outcome in result.outcomes):
        yield f"next: finish what is left, then {again}"
    ready = [outcome for outcome in result.outcomes if outcome.status.is_finished and outcome.files]
    if not ready:
        return
    if proves and not writes:
        yield f"next: {again}"
    elif writes:
        yield f"next: {shlex.join(['pedl2det', 'run', *_trial(ready[0]), *_out(ready[0])])}"
    elif len(ready) == 1:
        yield f"next: {shlex.join(['pedl2det', 'verify', *_trial(ready[0])])}"
    else:
        yield f"next: {shlex.join(['pedl2det', 'migrate', '--verify', *arguments])}"


def _trial(outcome: Outcome) -> list[str]:
    """The directory of a trial, and its config where that is not clear from the directory."""
    home = outcome.directory
    beside = [*home.glob("*.yaml"), *home.glob("*.yml")]
    named = [path for path in beside if path.stem == "const"]
    config = next(iter(simplest_first(outcome.configs)), None)
    if config is None or [config] in (beside, named):
        return [shown(home)]
    return [shown(home), "-c", shown(config)]


def simplest_first(configs: Iterable[Path]) -> list[Path]:
    """Sort the configs of a trial: const.yaml, those of a single training, those of searches."""
    return sorted(
        configs, key=lambda path: (path.stem != "const", b"single" not in path.read_bytes(), path)
    )


def _out(outcome: Outcome) -> list[str]:
    """The option ``--out``, if the default place of the results is taken."""
    out = Path("runs", outcome.directory.resolve().name)
    others = (out.with_name(f"{out.name}-{number}") for number in itertools.count(2))
    outs = itertools.chain([out], others)
    free = next(path for path in outs if not (path.is_file() or any(path.glob("*"))))
    return ["--out", str(free)] if free != out else []
