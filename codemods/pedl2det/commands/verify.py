"""``pedl2det verify``: prove that a trial trains the same after its migration."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

import click

from pedl2det.commands import arguments
from pedl2det.commands.runtime import runtime
from pedl2det.engine.result import Result
from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Kind
from pedl2det.report import check_report_path
from pedl2det.report.hiding import Hider
from pedl2det.report.text import described, unexecuted
from pedl2det.visible import say, shown, unread_stdout_ignored

if TYPE_CHECKING:  # it needs the extra ``run``
    from pedl2det.verify import Verdict

_SHOWN = 5


@click.command("verify")
@click.argument("directories", nargs=-1, required=True, type=arguments.path, metavar="DIR...")
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
    help="Write the proof: .html with curves, or .json and a page of each trial beside it.",
)
@arguments.traceback
def command(
    directories: tuple[Path, ...],
    config: Path | None,
    batches: int | None,
    against: Path | None,
    report: Path | None,
    with_stack: bool,
) -> None:
    """Migrate a copy of the trial in DIR, train both, and compare everything to the bit.

    Several trials are verified one after the other, each by its own config. Pages that do not fit
    into the report itself are in REPORT.verify beside it.

    Exit codes: 0 equal; 1 different, or migrate left something; 2 the old trial does not train;
    130 and 143 stopped by Ctrl-C and SIGTERM. Of several trials, the highest.
    """
    _check(directories, config, against, report)
    runtime()
    from pedl2det.verify import Series, write_series

    several = len(directories) > 1
    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup has it
            signal.signal(number, partial(_stop, several))
    summarizes = report is not None and (several or report.suffix == ".json")
    tell = partial(say, err=True) if several else lambda _: None
    verify_next = Series(len(directories), report, tell, is_page=not summarizes)
    verdicts: list[Verdict] = []
    for directory in directories:
        verdicts.append(verify_next(directory, config=config, batches=batches, against=against))
        if report is not None and summarizes:
            write_series(report, [one.proof for one in verdicts if one.proof])
        with unread_stdout_ignored():
            if several:
                say(f"{shown(directory)}:")
            _show(verdicts[-1], with_stack)
    if several:
        with unread_stdout_ignored():
            equal = sum(one.is_equal for one in verdicts)
            say(f"{equal} of {len(verdicts)} trials are equal")
    sys.exit(max(map(_exit_code, verdicts)))


def _show(verdict: Verdict, with_stack: bool) -> None:
    """Print a verdict, and on stderr why there is no comparison."""
    if with_stack and verdict.stack:
        say(verdict.stack.rstrip(), err=True)
    for line in _lines(verdict):
        say(line)
    hider = Hider.of(Result(findings=list(verdict.left)))
    for finding in verdict.left:
        for line in described(finding, hider):
            click.echo(line, err=True)
    if verdict.comparison is None:
        hint = " (--traceback shows the whole stack)" if verdict.stack and not with_stack else ""
        say(f"pedl2det: {verdict.message}{hint}", err=True)


def _exit_code(verdict: Verdict) -> int:
    bad = any(one.kind is Kind.BAD_INPUT for one in verdict.left)
    return 2 if bad else verdict.outcome.exit_code


def _stop(several: bool, number: int, _: FrameType | None) -> NoReturn:
    """End both trainings and remove the copies: what is being done is left by an exception."""
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, signal.SIG_IGN)  # that takes a moment
    lost = "" if several else ": nothing was proved"
    say(f"pedl2det: stopped by {signal.Signals(number).name}{lost}", err=True)
    sys.exit(128 + number)


def _check(
    directories: tuple[Path, ...], config: Path | None, against: Path | None, report: Path | None
) -> None:
    for path in filter(None, (*directories, against)):
        if not path.is_dir():
            raise Pedl2DetError(f"{path}: no such directory")
    if len(directories) > 1 and (config is not None or against is not None):
        option = "--config" if config is not None else "--against"
        raise Pedl2DetError(f"{option}: it belongs to one trial, and {len(directories)} are given")
    if config is not None and not config.is_file():
        raise Pedl2DetError(f"{config}: no such file")
    if report is not None:
        check_report_path(report, (".html", ".json"))


def _lines(verdict: Verdict) -> Iterator[str]:
    """The verdict on two trials that train, then what there is to know of it."""
    from pedl2det.verify import Conclusion

    result = verdict.comparison
    if result is None:
        yield from verdict.notes
        return
    yield verdict.message
    differences = [one.text for one in result.differences if not result.only_length_differs]
    if verdict.outcome is Conclusion.NOT_REPEATABLE:
        differences = []
    yield from (f"  {text}" for text in differences[:_SHOWN])
    if len(differences) > _SHOWN:
        yield f"  and {len(differences) - _SHOWN} more"
    yield from (f"likely: {cause}" for cause in verdict.causes[:_SHOWN])
    yield f"trained {verdict.length}"
    yield f"compared {result.described}"
    if verdict.names is not None and verdict.names.prefix:
        yield f"a metric of a validation has {verdict.names.prefix} before its old name"
    if verdict.proof is not None and (places := unexecuted(verdict.proof)):
        yield f"not executed: {', '.join(places)}"
    if result.more:
        yield f"only the new trial reports, as expected: {', '.join(result.more)}"
    yield from verdict.notes
