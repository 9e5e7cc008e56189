"""Show a run on a terminal: a bar, a table of its validations, and the next commands."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from pedl2det.visible import visible
from pedl2det_runtime.training.display import Ended, Lines, Report, format_metrics

#: Seconds between two refreshes. They need no thread: a fork while a thread draws may hang.
_PAUSE = 0.1
_COUNT, _NUMBER = 8, 9  # widths of columns


class Bar(Lines):
    """Shows a run on a terminal, while it is entered; see `display` for its arguments."""

    def __init__(
        self,
        out: Path | None,
        to_resume: Callable[[tuple[str, ...]], str],
        console: Console | None = None,
    ) -> None:
        super().__init__(self._print, out)
        self._to_resume = to_resume
        self._console = console or Console(highlight=False)
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[epoch]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[metrics]}", markup=False),
            console=self._console,
            auto_refresh=False,
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, epoch="", rate="", metrics="starting")
        self._is_first = True
        self._drawn = 0.0
        self._columns: list[str] = []

    def __enter__(self) -> Self:
        self._progress.start()
        self._progress.refresh()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def _print(self, line: str, style: str = "") -> None:
        self._progress.console.print(Text(visible(line), style), soft_wrap=True)

    def advance(self, batches: int, total: int) -> None:
        """Move the bar."""
        if self._is_first:  # earlier batches of a resumed run do not count towards its speed
            self._progress.reset(
                self._task, total=total, completed=batches, epoch="", rate="", metrics=""
            )
            self._is_first = False
        speed = self._progress.tasks[0].speed
        rate = f"{speed:,.0f} batches/s" if speed else ""
        self._progress.update(self._task, completed=batches, rate=rate)
        if time.monotonic() > self._drawn + _PAUSE:
            self._progress.refresh()
            self._drawn = time.monotonic()

    def report(self, report: Report, total: int) -> None:  # noqa: ARG002 - the bar shows it
        """Show the metrics of a workload beside the bar; a validation as a row above it."""
        epoch = f"epoch {report.epochs:.2f}" if report.epochs else ""
        if report.kind == "training":
            shown = visible(format_metrics(report.metrics))
            self._progress.update(self._task, epoch=epoch, metrics=shown)
            return
        if [*report.metrics] != self._columns:
            self._columns = [*report.metrics]
            names = "".join(f"  {name:>{_NUMBER}}" for name in self._columns)
            self._print(f"{'batch':>{_COUNT}}  {'epoch':>{_COUNT}}{names}", "dim")
        row = f"{report.batches:>{_COUNT},}  {report.epochs:>{_COUNT}.2f}" + "".join(
            f"  {value:>{max(_NUMBER, len(name))}.6g}" for name, value in report.metrics.items()
        )
        self._print(f"{row}  best" if report.is_best else row, "green" if report.is_best else "")

    def end(self, ended: Ended, *, verbose: bool) -> None:
        """Print how the training ended, and commands to view its curves and to continue it."""
        self._progress.stop()
        super().end(ended, verbose=verbose)
        if self._out is None:
            return
        events = shlex.join(["tensorboard", "--logdir", str(self._out / "tensorboard")])
        self.say(f"curves: {events}")
        if ended.continue_with is not None:
            what = "train twice as long" if ended.continue_with else "train the rest"
            self.say(f"{what}: {self._to_resume(ended.continue_with)}")
