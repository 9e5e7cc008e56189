"""The display of a run: its interface, and the simplest display, which prints lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pedl2det_runtime.checkpoint.manager import Best


@dataclass(frozen=True)
class Report:
    """The metrics of a workload or a validation."""

    kind: Literal["training", "validation"]
    batches: int  #: batches trained
    epochs: float  #: epochs trained
    metrics: dict[str, float]
    is_best: bool = False  #: whether it has the best value of the searcher's metric so far


@dataclass(frozen=True)
class Ended:
    """How a training ended."""

    batches: int  #: batches trained in total
    trained: int  #: how many of them this process trained
    seconds: float  #: how long this process trained
    best: Best | None  #: the best validation; None if there was none
    #: the searcher's metric at the end; None without a validation at the last batch
    last: float | None = None
    #: config overrides with which ``--resume`` trains further; None if a callback stopped the
    #: training
    continue_with: tuple[str, ...] | None = None


class Display:
    """Shows a run. This base class shows nothing; ranks other than the chief use it."""

    def say(self, line: str) -> None:
        """Show a notice."""

    def begin(self, title: str, seed: int) -> None:
        """Show what is trained, before the trial is imported."""

    def advance(self, batches: int, total: int) -> None:
        """Show how many of all batches are trained; called after each execution."""

    def report(self, report: Report, total: int) -> None:
        """Show metrics."""

    def end(self, ended: Ended, *, verbose: bool) -> None:
        """Show how the training ended; with metrics if ``configure_fit(verbose=...)`` is set."""


class Lines(Display):
    """Print one line for each notice and report; ``out`` is None if the results are removed."""

    def __init__(self, write: Callable[[str], None], out: Path | None) -> None:
        self._write = write
        self._out = out

    def say(self, line: str) -> None:
        """Print a notice."""
        self._write(line)

    def begin(self, title: str, seed: int) -> None:
        """Print what is trained."""
        self._write(f"{title}: seed {seed}")

    def report(self, report: Report, total: int) -> None:
        """Print metrics."""
        at = f"{report.batches}/{total}"
        self._write(f"{report.kind:>10}  {at}  {format_metrics(report.metrics)}")

    def end(self, ended: Ended, *, verbose: bool) -> None:
        """Print how the training ended."""
        for line in describe_end(ended, self._out, verbose=verbose):
            self._write(line)


def format_metrics(metrics: dict[str, float]) -> str:
    """Format metrics as ``name value`` pairs."""
    return "  ".join(f"{name} {value:.6g}" for name, value in metrics.items())


def describe_end(ended: Ended, out: Path | None, *, verbose: bool) -> list[str]:
    """Return the lines about the end of a training; ``out`` is None if its results are removed."""
    trained = f"trained {_counted(ended.trained)} in {format_time(ended.seconds)}"
    if out is None:
        return [f"test: {trained}; its results are removed"]
    if not ended.trained:
        trained = f"nothing is left to train: {_counted(ended.batches)} are trained"
    elif ended.trained < ended.batches:
        trained += f", {ended.batches} in all"
    lines = [f"{trained}; results in {out}"]
    if ended.best and verbose:
        best = ended.best
        place = f": {out / 'checkpoints' / best.checkpoint}" if best.checkpoint else ""
        lines.append(f"best {best.metric} {best.value:.6g} at batch {best.batches}{place}")
    return lines


def _counted(batches: int) -> str:
    return f"{batches} {'batch' if batches == 1 else 'batches'}"


def format_time(seconds: float) -> str:
    """Format a duration, such as ``2 h 5 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
