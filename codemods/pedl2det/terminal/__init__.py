"""Displays of a run: a bar on a terminal, lines in a pipe, JSON for programs, or only notices."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from pedl2det.visible import say
from pedl2det_runtime.training.display import Display, Ended, Lines, Report


def display(
    out: Path | None, to_resume: Callable[[tuple[str, ...]], str], *, quiet: bool, as_json: bool
) -> AbstractContextManager[Any]:
    """Return the display of a run, to be entered while it trains.

    ``out`` is None if the results are removed; ``to_resume`` returns the command that goes on with
    the run, with more values of its config.
    """
    if quiet:
        return nullcontext(Quiet())
    if as_json:
        return nullcontext(JsonLines(out))
    if sys.stdout.isatty() and importlib.util.find_spec("rich"):
        from pedl2det.terminal.bar import Bar

        return Bar(out, to_resume)
    return nullcontext(Lines(say, out))


class Quiet(Display):
    """Prints what needs attention on stderr, and nothing else."""

    def say(self, line: str) -> None:
        """Print a notice."""
        say(line, err=True)


class JsonLines(Display):
    """Prints one JSON object for each event: begin, notice, training, validation, end."""

    def __init__(self, out: Path | None) -> None:
        self._out = str(out) if out else None

    def say(self, line: str) -> None:
        """Print a notice."""
        _write("notice", text=line)

    def begin(self, title: str, seed: int) -> None:
        """Print what is trained."""
        _write("begin", title=title, seed=seed, out=self._out)

    def report(self, report: Report, total: int) -> None:
        """Print metrics."""
        values = asdict(report)
        _write(values.pop("kind"), **values, total=total)

    def end(self, ended: Ended, *, verbose: bool) -> None:  # noqa: ARG002 - it is about people
        """Print how the training ended."""
        _write("end", **asdict(ended), out=self._out)


def _write(event: str, **values: object) -> None:
    click.echo(json.dumps({"event": event} | values))
