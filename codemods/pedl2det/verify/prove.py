"""Prove that a trial trains the same after its migration, by training both."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Finding
from pedl2det.report.text import plural
from pedl2det.verify.causes import likely_causes
from pedl2det.verify.compare import Comparison, Difference, compare_runs
from pedl2det.verify.configs import chosen_config
from pedl2det.verify.copies import Copy, Workshop
from pedl2det.verify.extent import extent_of, missing_paths, project_of
from pedl2det.verify.facts import proof_of
from pedl2det.verify.failures import described
from pedl2det.verify.length import TrainingLength, training_length
from pedl2det.verify.page import Evidence, remove_report, write_report
from pedl2det.verify.preparing import Pair, Request, prepare
from pedl2det.verify.repeatability import likely_reasons
from pedl2det.verify.scratch import scratch_directory
from pedl2det.verify.settings import DifferentSetting, differing_settings
from pedl2det.verify.twins import Failure, train
from pedl2det.verify.verdict import (
    Conclusion,
    Verdict,
    describe_different,
    describe_equal,
    with_assumptions,
)
from pedl2det.verify.written_files import Snapshot, describe_written
from pedl2det.visible import shown

_ACTS_LATE = "P011"  # callbacks, which act after validations
_ATTEMPTS = 3  # to find files that the trial needs and its code does not name
_SHOWN_REASONS = 5

Failures = tuple[Failure | None, Failure | None]


@dataclass(frozen=True)
class Trained:
    """Two trials after their training.

    Attributes:
        pair: the trials.
        length: how much was trained.
        old_failure: why the old trial does not train, if it does not.
        new_failure: why the new one does not.
        written: which files their code wrote, in words; None if it wrote none.
    """

    pair: Pair
    length: TrainingLength
    old_failure: Failure | None = None
    new_failure: Failure | None = None
    written: str | None = None


def verify_trial(
    directory: Path,
    config: Path | None = None,
    batches: int | None = None,
    *,
    against: Path | None = None,
    result: Result | None = None,
    report: Path | None = None,
) -> Verdict:
    """Train a trial and its migrated copy, and compare them.

    Nothing is written into the trial. If they differ, the old trial is trained once more, which
    tells a trial that does not repeat itself from a wrong rewrite.

    Args:
        directory: the trial, as it is before its migration.
        config: the experiment config to train by; None for the trial's own.
        batches: how many batches to train; see `training_length` for the default.
        against: the migrated trial, if the user has one.
        result: a migration of the trial that is not written yet; None to migrate a copy here.
        report: the HTML file to write.

    Returns:
        The verdict, with its proof. A trial that has no config or cannot be copied is not verified.
    """
    try:
        return _verify(directory, config, batches, against, result, report)
    except Pedl2DetError as error:
        verdict = Verdict(Conclusion.NOT_VERIFIED, error.message, directory)
        return replace(verdict, proof=proof_of(verdict))


def _verify(
    directory: Path,
    config: Path | None,
    batches: int | None,
    against: Path | None,
    result: Result | None,
    report: Path | None,
) -> Verdict:
    """Verify a trial that can be verified, and write its page."""
    if report is not None:
        remove_report(report)  # it is of another verification
    used = config or chosen_config(directory.resolve(), any_will_do=result is not None)
    began = time.monotonic()
    with scratch_directory() as scratch:
        workshop = Workshop(scratch.resolve(), used)
        verdict, pair = _verdict(Request(directory, against, result), workshop, batches)
        if changed := workshop.changed():
            raise Pedl2DetError(
                f"{changed[0]}: the trial changed this file, which is too large to be copied: "
                "verify a copy of the trial"
            )
        old, new = pair.old.out, pair.new.out
        configs = (used, *pair.own_config_of_new())
        proof = proof_of(verdict, configs, old, time.monotonic() - began, report)
        if report is not None:
            write_report(report, Evidence(verdict, proof, old, new, pair.changed_files()))
    return replace(verdict, proof=proof)


def _verdict(request: Request, workshop: Workshop, batches: int | None) -> tuple[Verdict, Pair]:
    """Prepare, train, compare."""
    trained = _trained(request, workshop, batches)
    pair = trained.pair
    if pair.left:
        message = f"migrate left {plural(len(pair.left), 'place')}: finish the trial first"
        verdict = Verdict(Conclusion.LEFT, message, request.directory, left=pair.left)
    elif trained.old_failure is not None:
        verdict = _failed(Conclusion.OLD_FAILS, trained.old_failure, pair.old, request)
    elif trained.new_failure is not None:
        verdict = _failed(Conclusion.NEW_FAILS, trained.new_failure, pair.new, request)
    else:
        verdict = _compared(trained, request, workshop)
    if pair.is_same:
        note = f"{request.directory} uses no old API: it is trained twice, as it is"
        verdict = replace(verdict, notes=(note, *verdict.notes))
    differently = pair.differently
    verdict = replace(verdict, length=trained.length, names=pair.names, differently=differently)
    return with_assumptions(verdict, pair.assumptions), pair


def _trained(request: Request, workshop: Workshop, batches: int | None) -> Trained:
    """Train both; copy more and try again if the old trial misses files that there are."""
    home = request.directory.resolve()
    more: list[Path] = []
    for _ in range(_ATTEMPTS):
        extent = extent_of(home, more)
        pair = prepare(request, extent, workshop)
        length = _length(pair, batches)
        if pair.left:
            return Trained(pair, length)
        before = Snapshot.of(pair.old), Snapshot.of(pair.new)
        old, new = train((pair.old, pair.new), length)
        missing = missing_paths(old.message, pair.old.root, extent) if old is not None else []
        if not missing or {*missing} <= {*more}:
            break
        more += missing
    if any(one is not None and one.may_be_shared for one in (old, new)):
        pair = prepare(request, extent, workshop)
        before = Snapshot.of(pair.old), Snapshot.of(pair.new)
        old, new = _trained_in_turn(pair, length)
    written = describe_written(*(one.written_since() for one in before))
    return Trained(pair, length, old, new, written)


def _length(pair: Pair, asked: int | None) -> TrainingLength:
    old, new = pair.settings()
    return training_length(old, asked, new=new, has_known_differences=bool(pair.known_differences))


def _trained_in_turn(pair: Pair, length: TrainingLength) -> Failures:
    """Train both, one after the other: trained at once they may have used the same file."""
    (old,) = train((pair.old,), length)
    if old is not None:
        return old, None
    (new,) = train((pair.new,), length)
    return None, new


def _failed(outcome: Conclusion, failure: Failure, copy: Copy, request: Request) -> Verdict:
    is_migrated = outcome is Conclusion.NEW_FAILS and request.against is None
    reason = described(failure.message, copy, is_migrated)
    which = "old" if outcome is Conclusion.OLD_FAILS else "new"
    return Verdict(
        outcome,
        f"the {which} trial does not train: {reason}",
        request.directory,
        stack=copy.with_original_paths(failure.stack),
    )


def _compared(trained: Trained, request: Request, workshop: Workshop) -> Verdict:
    """The verdict on two trials that train."""
    pair, length = trained.pair, trained.length
    comparison = compare_runs(pair.old.out, pair.new.out, pair.names)
    if difference := _difference_of_lengths(length):
        differences = (*comparison.differences, difference)
        comparison = replace(comparison, differences=differences)
    settings = _different_settings(pair)
    notes = [str(one) for one in settings]
    notes += [trained.written] if trained.written is not None else []
    verdict = Verdict(Conclusion.EQUAL, "", request.directory, comparison)
    if comparison.is_equal:
        known = [_place(one, request) for one in pair.known_differences]
        keys = [one.key for one in settings]
        is_late = all(one.rule == _ACTS_LATE for one in pair.known_differences)
        message = describe_equal(comparison, length, known, keys, is_late=is_late)
        notes += _epoch_note(comparison, length)
        return replace(verdict, message=message, notes=(*notes,))
    verdict = replace(
        verdict,
        outcome=Conclusion.DIFFERENT,
        message=describe_different(comparison),
        causes=likely_causes(comparison, pair.known_differences),
        notes=(*notes,),
    )
    if not comparison.only_numbers_differ:
        return verdict
    again = comparison if pair.is_same else _repeated(pair, workshop, length)
    if again is None or again.is_equal:
        return verdict
    batch = again.first_batch
    since = f"it differs from batch {batch} on" if batch else "its weights differ"
    return replace(
        verdict,
        outcome=Conclusion.NOT_REPEATABLE,
        message="not repeatable: the old trial does not repeat itself: trained twice as it is, "
        + since,
        reasons=_reasons(pair.old),
        causes=(),
    )


def _difference_of_lengths(length: TrainingLength) -> Difference | None:
    """The difference of the lengths in both configs; it counts, however much was trained."""
    old, new = length.total, length.new_total
    if old is None or new is None:
        return None
    text = f"the old config trains {old:,} batches, the new one {new:,}"
    return Difference(text, min(old, new) + 1, is_structural=True, is_length=True)


def _different_settings(pair: Pair) -> list[DifferentSetting]:
    old, new = pair.settings()
    if old is None or new is None:
        return []
    return list(differing_settings(old, new, pair.names))


def _place(finding: Finding, request: Request) -> str:
    """The place of a finding, by its path from the trial."""
    home = request.directory.resolve()
    path = finding.path
    name = path.relative_to(home) if path.is_relative_to(home) else shown(path)
    return f"{name}:{finding.place}"


def _repeated(pair: Pair, workshop: Workshop, length: TrainingLength) -> Comparison | None:
    """Train the old trial once more and compare; None if it fails now."""
    again = workshop.copy("again", pair.old.extent)
    again = replace(again, twin_is_script=pair.old.twin_is_script)
    (failure,) = train((again,), length)
    return compare_runs(pair.old.out, again.out) if failure is None else None


def _reasons(old: Copy) -> tuple[str, ...]:
    project = project_of(old.directory)
    files = project.needed if project is not None else frozenset()
    found = likely_reasons(files, old.directory)
    more = len(found) - _SHOWN_REASONS
    return (*found[:_SHOWN_REASONS], *((f"and {more} more places",) if more > 0 else ()))


def _epoch_note(comparison: Comparison, length: TrainingLength) -> list[str]:
    """A note if no epoch has ended, so that no callback at its end was compared."""
    epoch, total = comparison.epoch, length.total or 0
    if not comparison.batches < epoch <= total:
        return []
    return [f"no epoch has ended, it has {epoch:,} batches: --batches {epoch + 1} trains one"]
