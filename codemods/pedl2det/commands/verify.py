"""``pedl2det verify``: prove that a trial trains the same after its migration."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from pedl2det.commands import arguments
from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Kind
from pedl2det.report.hiding import Hider
from pedl2det.report.text import described, shown
from pedl2det.verify import Conclusion, Verdict, verify_trial
from pedl2det.verify.compare import Comparison

_SHOWN = 5


@click.command("verify")
@arguments.directory
@arguments.config
@click.option(
    "--batches",
    type=click.IntRange(min=1),
    help="Train this many; else 300, or until after the first validation, or up to 2,000 with "
    "differences that migrate knows.",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compare with this trial instead of a migrated copy.",
)
@click.option(
    "--report", type=click.Path(path_type=Path), help="Write the comparison and curves as HTML."
)
@click.option("--traceback", "with_stack", is_flag=True, help="Show the stack of a trial's error.")
def command(
    directory: Path,
    config: Path | None,
    batches: int | None,
    against: Path | None,
    report: Path | None,
    with_stack: bool,
) -> None:
    """Migrate a copy of the trial in DIR, train both, and compare everything to the bit.

    Exit codes: 0 equal; 1 different, or migrate left something; 2 the old trial does not train;
    130 and 143 stopped by Ctrl-C and SIGTERM.
    """
    _check(directory, config, against, report)
    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _stop)
    verdict = verify_trial(directory, config, batches, against=against, report=report)
    if with_stack and verdict.stack:
        click.echo(verdict.stack.rstrip(), err=True)
    for line in _lines(verdict):
        click.echo(line)
    if verdict.outcome is Conclusion.LEFT:
        _show_left(verdict)
    elif verdict.comparison is None:
        hint = "" if with_stack else " (--traceback shows the whole stack)"
        click.echo(f"pedl2det: {verdict.message}{hint}", err=True)
    bad = any(one.kind is Kind.BAD_INPUT for one in verdict.left)
    sys.exit(2 if bad else verdict.outcome.exit_code)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """End both trainings and remove the copies: what is being done is left by an exception."""
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, signal.SIG_IGN)  # that takes a moment
    click.echo(f"pedl2det: stopped by {signal.Signals(number).name}: nothing was proved", err=True)
    sys.exit(128 + number)


def _check(directory: Path, config: Path | None, against: Path | None, report: Path | None) -> None:
    for path in filter(None, (directory, against)):
        if not path.is_dir():
            raise Pedl2DetError(f"{path}: no such directory")
    if config is not None and not config.is_file():
        raise Pedl2DetError(f"{config}: no such file")
    if report is None:
        return
    if report.suffix != ".html":
        raise Pedl2DetError(f"--report {report}: expected a file name ending in .html")
    if not report.parent.is_dir():
        raise Pedl2DetError(f"--report {report}: no such directory: {report.parent}")


def _lines(verdict: Verdict) -> Iterator[str]:
    """The verdict on two trials that train, then what there is to know of it."""
    result = verdict.comparison
    if result is None:
        yield from verdict.notes
        return
    yield verdict.message
    differences = [one.text for one in result.differences]
    if verdict.outcome is Conclusion.NOT_REPEATABLE:
        differences = list(verdict.reasons)
    yield from (f"  {text}" for text in differences[:_SHOWN])
    if len(differences) > _SHOWN:
        yield f"  and {len(differences) - _SHOWN} more"
    yield from (f"likely: {cause}" for cause in verdict.causes[:_SHOWN])
    yield f"trained {verdict.length}"
    yield from _compared(result)
    if verdict.names is not None:
        yield f"names in validations: {verdict.names.described}"
    if result.more:
        yield f"only the new trial reports, as expected: {', '.join(result.more)}"
    for one in verdict.assumptions:
        yield str(replace(one, path=Path(shown(one.path))))
    yield from verdict.notes


def _compared(result: Comparison) -> Iterator[str]:
    yield (
        f"compared {result.batches:,} batches and {result.reports:,} reports "
        f"({result.values:,} metric values), {result.tensors:,} weight tensors "
        f"({result.numbers:,} numbers)"
    )


def _show_left(verdict: Verdict) -> None:
    hider = Hider.of(Result(findings=list(verdict.left)))
    for finding in verdict.left:
        for line in described(finding, hider):
            click.echo(line, err=True)
    click.echo(f"pedl2det: {verdict.message}", err=True)
