"""``pedl2det migrate``: rewrite old trials in place."""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from pedl2det.commands import arguments
from pedl2det.engine import Result, migrate
from pedl2det.engine.migration import Options
from pedl2det.errors import DEFECT, Pedl2DetError
from pedl2det.files.undo import clean_killed, refuse_half_done, undo
from pedl2det.files.write import refuse_unsafe, write_all
from pedl2det.findings import Kind
from pedl2det.report import check_report_path, next_steps, summary, write_report
from pedl2det.visible import is_coloured, say, shown, unread_stdout_ignored


@click.command("migrate")
@click.argument("paths", nargs=-1, required=True, type=arguments.path, metavar="PATH...")
@click.option("--diff", is_flag=True, help="Show the changes and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would change.")
@click.option("--partial", is_flag=True, help="Also write trials that are only begun.")
@click.option(
    "--verify/--no-verify",
    "asked",
    default=None,
    help="Write only what is proved; prove nothing. Else only what is refuted is not written.",
)
@click.option(
    "--cluster", is_flag=True, help="Write configs and commands for a Determined cluster."
)
@click.option("--report", type=arguments.path, help="Also write a report: .json, .html, .sarif.")
@click.option("--undo", "undoes", is_flag=True, help="Take the last run below PATH back.")
@click.option(
    "--force", is_flag=True, help="Overwrite what is not committed; undo what has changed since."
)
@click.option("--select", multiple=True, metavar="RULE", help="Leave out all rules but these.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave these rules out.")
@click.option(
    "--jobs", type=arguments.at_least_1, metavar="N", help="Processes; else one a processor."
)
def command(
    paths: tuple[Path, ...],
    diff: bool,
    check: bool,
    partial: bool,
    asked: bool | None,
    cluster: bool,
    report: Path | None,
    undoes: bool,
    force: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    jobs: int | None,
) -> None:
    """Rewrite the old trials below PATH to the context-based API, with their configs.

    Where TensorFlow is installed, each trial is trained for a short while as it is and migrated:
    what then differs is carried over whole, or not written. A trial of which something is left
    for a person is written only with --partial.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):  # leave nothing half-written
        if signal.getsignal(number) is signal.SIG_DFL:  # and not what nohup ignores
            signal.signal(number, lambda got, _: sys.exit(128 + got))
    if undoes:
        if any((diff, check, partial, asked is not None, select, ignore, report)):
            raise click.UsageError("--undo goes with --force alone.")
        journal = undo(paths, force)
        for entry in journal.entries:
            say(f"{shown(entry.path)}: as it was before the run of {journal.began}", err=True)
        return
    for path in paths:
        if not path.exists():
            raise Pedl2DetError(f"{path}: no such file or directory")
    if report is not None:
        check_report_path(report)
    if asked:
        from pedl2det.commands.runtime import runtime

        runtime()  # or say what is missing, before anything is done
    if not force:
        refuse_half_done(paths)
    writes = not (diff or check)
    proves = writes and _can_train() if asked is None else asked
    if writes:
        clean_killed(paths)
    options = Options(
        left_out=_left_out(select, ignore),
        partial=partial,
        cluster=cluster,
        jobs=jobs or len(os.sched_getaffinity(0)),
    )
    gc.disable()  # trees of code are no garbage until the process ends
    try:
        result = migrate(paths, options)
    finally:
        gc.freeze()
        gc.enable()
    if writes and not force:
        refuse_unsafe([file.path for file in result.files])
    if proves:
        from pedl2det.verify.series import Series, prove  # it needs the runtime

        def migrate_with(**changes: Any) -> Result:
            return migrate(paths, replace(options, **changes))

        total = sum(outcome.is_to_prove for outcome in result.outcomes)
        verify = Series(total, functools.partial(say, err=True)).by_configs
        migrate_again = None if options.left_out else migrate_with
        result = prove(result, verify, migrate_again, only_proved=bool(asked))
        if writes and not force:  # proofs take long
            refuse_unsafe([file.path for file in result.files])
    if writes:
        write_all(result.files, paths)
    again = [f"--{name}" for name, is_set in (("partial", partial), ("cluster", cluster)) if is_set]
    again += [f"--select={rule}" for rule in select] + [f"--ignore={rule}" for rule in ignore]
    again += map(str, paths)
    done = "rewritten" if writes else "would be rewritten"
    try:
        if report is not None:
            write_report(report, result, done)
    finally:
        _tell(result, done, diff)
        for line in next_steps(result, again, writes=writes, proves=proves):
            say(line, err=True)
    if result.of_kind(Kind.DEFECT):
        sys.exit(3)
    left = result.of_kind(Kind.LEFT, Kind.BAD_INPUT)
    sys.exit(1 if left or (check and result.files) else 0)


def _tell(result: Result, done: str, diff: bool) -> None:
    """Print the patch, the report, and the tracebacks of our own defects."""
    if diff:
        from pedl2det.report.changes import patch_of

        with unread_stdout_ignored():
            for file in result.files:
                click.echo(patch_of(file), nl=False)
    coloured = is_coloured(sys.stderr)
    for line in summary(result, done):
        click.echo(line, err=True, color=coloured)
    for stack in result.tracebacks:
        say(stack.rstrip(), err=True)
    if result.of_kind(Kind.DEFECT):
        say(DEFECT, err=True)


def _can_train() -> bool:
    """Whether all that training needs is installed; with TensorFlow, say what is missing."""
    if importlib.util.find_spec("tensorflow") is None:
        return False
    from pedl2det.commands.runtime import runtime

    try:
        runtime()
    except Pedl2DetError as error:
        say(f"nothing is proved: {error.message}", err=True)
        return False
    return True


def _left_out(select: Sequence[str], ignore: Sequence[str]) -> frozenset[str]:
    if not (select or ignore):
        return frozenset()
    from pedl2det.commands.rules import find_rule
    from pedl2det.rules import every_rule

    selected = {find_rule(word, "--select").id for word in select}
    every = {rule.id for rule in every_rule()} if selected else set()
    return frozenset((every - selected) | {find_rule(word, "--ignore").id for word in ignore})
