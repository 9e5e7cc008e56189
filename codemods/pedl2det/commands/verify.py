"""``pedl2det verify``: prove that a trial trains the same after its migration."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from pedl2det.commands import arguments
from pedl2det.commands.runtime import runtime
from pedl2det.engine.migration import Result
from pedl2det.findings import Kind
from pedl2det.report import check_report_path, write_page
from pedl2det.report.hiding import Hider
from pedl2det.report.text import describe_finding, unexecuted
from pedl2det.visible import say, shown, unread_stdout_ignored

if TYPE_CHECKING:  # it needs the extra ``run``
    from pedl2det.verify import Verdict

_SHOWN = 5


@click.command("verify")
@arguments.directory
@arguments.config
@click.option(
    "--batches",
    type=arguments.at_least_1,
    help="Train this many; else 300, or until after the first validation, or up to 2,000 with "
    "differences that migrate knows.",
)
@click.option(
    "--against",
    type=arguments.path,
    metavar="DIR",
    help="Compare with this trial instead of a migrated copy.",
)
@click.option(
    "--report",
    type=arguments.path,
    help="Write the proof: .html, with curves and changes, or .json.",
)
@arguments.traceback
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
    arguments.require(directory, against, config=config)
    if report is not None:
        check_report_path(report, (".html", ".json"))
    runtime()
    from pedl2det.report.machines import proof_document
    from pedl2det.verify import verify_trial

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _stop)
    page = report if report is not None and report.suffix == ".html" else None
    verdict = verify_trial(directory, config, batches, against=against, report=page)
    if report is not None and page is None:
        write_page(report, proof_document(verdict))
    with unread_stdout_ignored():
        _show(verdict, with_stack)
    is_bad = any(finding.kind is Kind.BAD_INPUT for finding in verdict.left)
    sys.exit(2 if is_bad else verdict.outcome.exit_code)


def _show(verdict: Verdict, with_stack: bool) -> None:
    """Print a verdict, and on stderr why there is no comparison."""
    if with_stack and verdict.stack:
        say(verdict.stack.rstrip(), err=True)
    for line in _lines(verdict):
        say(line)
    hider = Hider.of(Result(findings=list(verdict.left)))
    for finding in verdict.left:
        for line in describe_finding(finding, hider):
            click.echo(line, err=True)
    if verdict.comparison is None:
        hint = " (--traceback shows the whole stack)" if verdict.stack and not with_stack else ""
        say(f"pedl2det: {verdict.message}{hint}", err=True)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """Exit by an exception, so that both trainings end and the copies are removed."""
    for ignored in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ignored, signal.SIG_IGN)  # ending them takes a moment
    say(f"pedl2det: stopped by {signal.Signals(number).name}: nothing was proved", err=True)
    sys.exit(128 + number)


def _lines(verdict: Verdict) -> Iterator[str]:
    """Yield the verdict on two trials that train, then its details."""
    from pedl2det.verify import Conclusion

    result = verdict.comparison
    if result is None:
        yield from verdict.notes
        return
    yield verdict.message
    differences = [difference.text for difference in result.differences]
    if verdict.outcome is Conclusion.NOT_REPEATABLE or result.only_length_differs:
        differences = []
    yield from (f"  {text}" for text in differences[:_SHOWN])
    if len(differences) > _SHOWN:
        yield f"  and {len(differences) - _SHOWN} more"
    for finding in verdict.differently[:_SHOWN] if differences else ():
        yield f"known difference: {shown(finding.path)}:{finding.place}: {finding.message}"
    yield f"trained {verdict.length}"
    yield f"compared {result.described}"
    if verdict.names is not None and verdict.names.prefix:
        yield f"a metric of a validation has {verdict.names.prefix} before its old name"
    if places := unexecuted(verdict):
        yield f"not executed: {', '.join(places)}"
    if result.more:
        yield f"only the new trial reports, as expected: {', '.join(result.more)}"
    yield from verdict.notes
