"""Prove that a trial trains the same after its migration, by training both."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.report.text import plural
from pedl2det.verify.compare import Comparison, compare_runs
from pedl2det.verify.configs import chosen_config
from pedl2det.verify.copies import Copy, Workshop
from pedl2det.verify.extent import extent_of, missing_paths, project_of
from pedl2det.verify.facts import facts
from pedl2det.verify.failures import described
from pedl2det.verify.length import TrainingLength, training_length
from pedl2det.verify.page import Evidence, write_report
from pedl2det.verify.preparing import Pair, Request, prepare
from pedl2det.verify.repeatability import likely_reasons
from pedl2det.verify.twins import Failure, train
from pedl2det.verify.verdict import Conclusion, Verdict, with_assumptions

_ATTEMPTS = 3  # to find files that the trial needs and its code does not name
_SHOWN_REASONS = 5

Failures = tuple[Failure | None, Failure | None]


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

    Raises:
        Pedl2DetError: the trial has no config or cannot be copied.
    """
    used = config or chosen_config(directory.resolve(), any_will_do=result is not None)
    length = training_length(used, batches)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pedl2det-verify-") as scratch:
        workshop = Workshop(Path(scratch).resolve(), used)
        verdict, pair = _verdict(Request(directory, against, result), workshop, length)
        if changed := workshop.changed():
            raise Pedl2DetError(
                f"{changed[0]}: the trial changed this file, which is too large to be copied: "
                "verify a copy of the trial"
            )
        if report is not None:
            old, new = pair.old.out, pair.new.out
            known = facts(directory, used, old, time.monotonic() - began)
            write_report(report, Evidence(verdict, known, old, new, pair.changed_files()))
    return verdict


def _verdict(request: Request, workshop: Workshop, length: TrainingLength) -> tuple[Verdict, Pair]:
    """Prepare, train, compare."""
    pair, failures = _trained(request, workshop, length.batches)
    if pair.left:
        message = f"migrate left {plural(len(pair.left), 'place')}: finish the trial first"
        verdict = Verdict(Conclusion.LEFT, message, request.directory, left=pair.left)
    elif failures[0] is not None:
        verdict = _failed(Conclusion.OLD_FAILS, failures[0], pair.old, request)
    elif failures[1] is not None:
        verdict = _failed(Conclusion.NEW_FAILS, failures[1], pair.new, request)
    else:
        comparison = compare_runs(pair.old.out, pair.new.out, pair.names)
        verdict = _compared(comparison, pair, request, workshop, length)
    if pair.is_same:
        note = f"{request.directory} uses no old API: it is trained twice, as it is"
        verdict = replace(verdict, notes=(note, *verdict.notes))
    verdict = replace(verdict, length=length, names=pair.names, differently=pair.differently)
    return with_assumptions(verdict, pair.assumptions), pair


def _trained(request: Request, workshop: Workshop, batches: int | None) -> tuple[Pair, Failures]:
    """Train both; copy more and try again if the old trial misses files that there are."""
    home = request.directory.resolve()
    more: list[Path] = []
    for _ in range(_ATTEMPTS):
        extent = extent_of(home, more)
        pair = prepare(request, extent, workshop)
        if pair.left:
            return pair, (None, None)
        old, new = train((pair.old, pair.new), batches)
        missing = missing_paths(old.message, pair.old.root, extent) if old is not None else []
        if not missing or {*missing} <= {*more}:
            break
        more += missing
    if any(one is not None and one.may_be_shared for one in (old, new)):
        pair = prepare(request, extent, workshop)
        return pair, _trained_in_turn(pair, batches)
    return pair, (old, new)


def _trained_in_turn(pair: Pair, batches: int | None) -> Failures:
    """Train both, one after the other: trained at once they may have used the same file."""
    (old,) = train((pair.old,), batches)
    if old is not None:
        return old, None
    (new,) = train((pair.new,), batches)
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


def _compared(
    comparison: Comparison,
    pair: Pair,
    request: Request,
    workshop: Workshop,
    length: TrainingLength,
) -> Verdict:
    """The verdict on two trials that train."""

    def verdict(outcome: Conclusion, message: str, *reasons: str) -> Verdict:
        return Verdict(outcome, message, request.directory, comparison, reasons=reasons)

    if comparison.is_equal:
        notes = _epoch_note(comparison, length)
        return replace(verdict(Conclusion.EQUAL, "equal: the largest difference is 0"), notes=notes)
    again = comparison if pair.is_same else _repeated(pair, workshop, length)
    message = f"different: the largest difference is {comparison.largest:.3g}"
    if again is None or again.is_equal or not comparison.only_numbers_differ:
        return verdict(Conclusion.DIFFERENT, message)
    batch = again.first_batch
    since = f"it differs from batch {batch} on" if batch else "its weights differ"
    return verdict(
        Conclusion.NOT_REPEATABLE,
        f"not repeatable: the old trial does not repeat itself: trained twice as it is, {since}",
        *_reasons(pair.old),
    )


def _repeated(pair: Pair, workshop: Workshop, length: TrainingLength) -> Comparison | None:
    """Train the old trial once more and compare; None if it fails now."""
    again = workshop.copy("again", pair.old.extent)
    again = replace(again, twin_is_script=pair.old.twin_is_script)
    (failure,) = train((again,), length.batches)
    return compare_runs(pair.old.out, again.out) if failure is None else None


def _reasons(old: Copy) -> tuple[str, ...]:
    project = project_of(old.directory)
    files = project.needed if project is not None else frozenset()
    found = likely_reasons(files, old.directory)
    more = len(found) - _SHOWN_REASONS
    return (*found[:_SHOWN_REASONS], *((f"and {more} more places",) if more > 0 else ()))


def _epoch_note(comparison: Comparison, length: TrainingLength) -> tuple[str, ...]:
    """A note if no epoch has ended, so that no callback at its end was compared."""
    epoch, total = comparison.epoch, length.total or 0
    if not comparison.batches < epoch <= total:
        return ()
    return (f"no epoch has ended, it has {epoch} batches: --batches {epoch + 1} trains one",)
