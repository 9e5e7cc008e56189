"""Prove that a trial trains the same after its migration, by training both."""

from __future__ import annotations

import datetime
import os
import platform
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from pedl2det import __version__
from pedl2det.engine.migration import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.files.write import run_git
from pedl2det.findings import Finding, Kind
from pedl2det.report import write_page
from pedl2det.report.text import plural
from pedl2det.verify.compare import Comparison, Difference, compare_runs
from pedl2det.verify.configs import differing_settings
from pedl2det.verify.copies import Copy, Workshop, extent_of, missing_paths
from pedl2det.verify.page import write_report
from pedl2det.verify.preparing import Pair, chosen_config, prepare
from pedl2det.verify.training import Failure, TrainingLength, train, training_length
from pedl2det.verify.unrun import missing_names, skipped_functions, unrun_lines
from pedl2det.verify.verdict import Conclusion, Verdict, describe_different, describe_equal, listed
from pedl2det.visible import shown

_ATTEMPTS = 3  # to find files that the trial needs and its code does not name


def verify_trial(
    directory: Path,
    config: Path | None = None,
    batches: int | None = None,
    *,
    against: Path | None = None,
    result: Result | None = None,
    overrides: tuple[str, ...] = (),
    is_resumed: bool = False,
    report: Path | None = None,
) -> Verdict:
    """Train a trial and its migrated copy, and compare them.

    Nothing is written into the trial. If they differ, the old trial is trained twice more, to tell
    a trial that is not repeatable from a wrong rewrite. A trial that has no config or cannot be
    copied is not verified. See `training_length` for ``batches``, `Workshop` for
    ``against``, ``result``, ``overrides`` and ``is_resumed``; ``report`` is the HTML file to write.
    """
    began = time.monotonic()
    try:
        if report is not None:
            write_page(report, None)  # remove the page of an earlier verification
        used = config or chosen_config(directory.resolve(), any_will_do=result is not None)
        with tempfile.TemporaryDirectory(prefix="pedl2det-verify-") as scratch:
            home = Path(scratch).resolve()
            workshop = Workshop(home, used, directory, against, result, overrides, is_resumed)
            verdict, pair = _judge(workshop, batches)
            may_train_longer = batches is None and verdict.is_equal and verdict.length
            if may_train_longer and (longer := may_train_longer.affordable(verdict.pace)):
                verdict, pair = _judge(workshop, longer)
            configs = (used, *pair.own_config_of_new())
            seconds = time.monotonic() - began
            verdict = with_circumstances(verdict, configs, pair.old.out, seconds)
            if verdict.is_equal:
                unrun = unrun_lines(pair.new)
                verdict = replace(verdict, unrun=unrun, unseen=unrun_lines(pair.old))
            if report is not None:
                write_report(report, verdict, pair.old.out, pair.new.out, pair.changed_files())
    except Pedl2DetError as error:
        return with_circumstances(Verdict(directory, Conclusion.NOT_VERIFIED, error.message))
    return verdict


def _judge(workshop: Workshop, batches: int | None) -> tuple[Verdict, Pair]:
    """Train and compare two trials; return the verdict and the pair."""
    pair, length, seconds, failed = _train_pair(workshop, batches)
    verdict = Verdict(
        workshop.directory,
        Conclusion.LEFT,
        f"migrate left {plural(len(pair.left), 'place')}: finish the trial first",
        left=pair.left,
        length=length,
        names=pair.names,
        differently=pair.of_kind(Kind.DIFFERENT),
    )
    if failed is not None:
        copy, failure = failed
        is_old = copy is pair.old
        reason = copy.with_original_paths(failure.message)
        if not is_old and workshop.against is None:
            reason += " (lines are those of the migrated file)"
        verdict = replace(
            verdict,
            outcome=Conclusion.OLD_FAILS if is_old else Conclusion.NEW_FAILS,
            message=f"the {copy.name} trial does not train: {reason}",
            stack=copy.with_original_paths(failure.stack),
        )
    elif not pair.left:
        verdict = _compare(verdict, pair, length, workshop)
    if verdict.is_equal and (missing := missing_names(pair.changed_files())):
        message = f"{listed(missing)}: the installed library has no such name"
        verdict = replace(verdict, outcome=Conclusion.NEW_FAILS, message=message)
    is_own_migration = verdict.is_equal and workshop.against is None
    if is_own_migration and (skipped := skipped_functions(pair.old, pair.new)):
        message = f"{listed(skipped)}: the old trial executes this, the new one does not"
        verdict = replace(verdict, outcome=Conclusion.DIFFERENT, message=message)
    if not pair.new.is_migrated:
        note = f"{workshop.directory} uses no old API: it is trained twice, unchanged"
        verdict = replace(verdict, notes=(note, *verdict.notes))
    trained = verdict.comparison.batches if verdict.comparison else 0  # both may have stopped
    return replace(verdict, pace=trained / max(seconds, 0.1)), pair


def _train_pair(
    workshop: Workshop, batches: int | None
) -> tuple[Pair, TrainingLength, float, tuple[Copy, Failure] | None]:
    """Train both, and return the first that fails; copy more files if the old one misses some."""
    more: list[Path] = []
    for _ in range(_ATTEMPTS):
        extent = extent_of(workshop.directory.resolve(), more)
        pair = prepare(workshop, extent)
        settings, new_settings = pair.settings()
        is_known = bool(pair.known_differences)
        length = training_length(settings, batches, new_settings, has_known_differences=is_known)
        if pair.left:
            return pair, length, 0.0, None
        (old, new), seconds = _train((pair.old, pair.new), length, workshop)
        missing = missing_paths(old.message, pair.old.root, extent) if old is not None else []
        if not missing or {*missing} <= {*more}:
            break
        more += missing
    if old is not None or new is not None:
        # Trained at the same time, they may have disturbed each other by a file, a port or memory.
        pair = prepare(workshop, extent)
        ((old,), seconds), new = _train((pair.old,), length, workshop), None
        if old is None:
            (new,), _ = _train((pair.new,), length, workshop)
    trained = (pair.old, old), (pair.new, new)
    failed = next(((copy, failure) for copy, failure in trained if failure), None)
    return pair, length, seconds, failed


def _train(
    copies: tuple[Copy, ...], length: TrainingLength, workshop: Workshop
) -> tuple[tuple[Failure | None, ...], float]:
    half = min(filter(None, (length.batches, length.total)), default=0) // 2
    if workshop.is_resumed and half:
        failures, seconds = train(copies, replace(length, batches=half))
        if any(failures):
            return failures, seconds
    return train(copies, length)


def _compare(verdict: Verdict, pair: Pair, length: TrainingLength, workshop: Workshop) -> Verdict:
    comparison = compare_runs(pair.old.out, pair.new.out, pair.names)
    if length.total is not None and length.new_total is not None:
        # This is a difference, however many batches were trained.
        text = f"the old config trains {length.total:,} batches, the new one {length.new_total:,}"
        batch = min(length.total, length.new_total) + 1
        difference = Difference(text, batch, is_structural=True, is_length=True)
        comparison = replace(comparison, differences=(*comparison.differences, difference))
    old, new = pair.settings()
    settings = differing_settings(old, new, pair.names) if old and new else {}
    verdict = replace(verdict, comparison=comparison, notes=tuple(settings.values()))
    if comparison.is_equal:
        known = [_place(finding, verdict.directory) for finding in pair.known_differences]
        message = describe_equal(comparison, length, known, [*settings])
        epoch = comparison.epoch
        if comparison.batches < epoch <= (length.total or 0):  # no callback at its end was compared
            more = f"train more than one with --batches {epoch + 1}"
            message += f"; no epoch ended, because it has {epoch:,} batches: {more}"
        return replace(verdict, outcome=Conclusion.EQUAL, message=message)
    message = describe_different(comparison)
    verdict = replace(verdict, outcome=Conclusion.DIFFERENT, message=message)
    if comparison.only_length_differs:
        return verdict
    repeated = _repeat(pair, length, workshop) if pair.new.is_migrated else [comparison]
    # Names and counts that differ only in the migrated trial come from its rewrite.
    differing = [
        again
        for again in repeated
        if not again.is_equal and (comparison.only_numbers_differ or not again.only_numbers_differ)
    ]
    if not differing:
        return verdict
    first = differing[0].first_batch
    where = f"from batch {first} on" if first else "in its weights"
    message = f"not repeatable: trained again unchanged, the old trial differs {where}"
    return replace(verdict, outcome=Conclusion.NOT_REPEATABLE, message=message)


def _repeat(pair: Pair, length: TrainingLength, workshop: Workshop) -> list[Comparison]:
    """Train the old trial twice more, at the same time, and compare it with itself."""
    copies = tuple(
        replace(workshop.copy(name, pair.old.extent), twin_is_script=pair.old.twin_is_script)
        for name in ("again", "again-beside")
    )
    failures, _ = _train(copies, length, workshop)
    trained = [copy.out for copy, failure in zip(copies, failures, strict=True) if failure is None]
    return [compare_runs(pair.old.out, out) for out in trained] if failures[0] is None else []


def _place(finding: Finding, directory: Path) -> str:
    """The place of a finding, by its path from the trial."""
    home, path = directory.resolve(), finding.path
    name = path.relative_to(home) if path.is_relative_to(home) else shown(path)
    return f"{name}:{finding.place}"


def with_circumstances(
    verdict: Verdict,
    configs: tuple[Path, ...] = (),
    results: Path | None = None,
    seconds: float = 0.0,
) -> Verdict:
    """Add the circumstances to a verdict; ``results`` are those of the old trial."""
    from pedl2det_runtime.checkpoint.directory import latest
    from pedl2det_runtime.checkpoint.state import read_metadata, read_state

    seed, frameworks = None, ""
    checkpoint = latest(results / "checkpoints") if results is not None else None
    if checkpoint is not None:
        seed, written = read_state(checkpoint).seed, read_metadata(checkpoint)
        frameworks = f", {written['framework'].replace('-', ' ')}, Keras {written['keras']}"
    return replace(
        verdict,
        batches=verdict.comparison.batches if verdict.comparison else 0,
        total=verdict.length.total if verdict.length else None,
        configs=configs,
        date=datetime.datetime.now().astimezone().isoformat(" ", "seconds"),
        versions=f"pedl2det {__version__}, Python {platform.python_version()}{frameworks}",
        commit=_commit(verdict.directory),
        seed=seed,
        seconds=seconds,
    )


def _commit(directory: Path) -> str:
    """Return the commit of a directory; "" if git has none of its files."""

    def git(*arguments: str) -> str:
        done = run_git(directory, *arguments)
        return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""

    commit = git("rev-parse", "HEAD")
    if commit and git("status", "--porcelain", "--", "."):
        return f"{commit} with uncommitted changes"
    return commit if commit and git("ls-files", "--", ".") else ""  # git may ignore the directory
