"""A run for programs: one JSON object a line, with its kind in ``event``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from pedl2det_runtime.trainer.display import Ended, Report


class JsonLines:
    """Prints ``begin``, ``notice``, ``training``, ``validation`` and ``end``.

    Args:
        out: the run's directory, as people call it; None if its results are removed.
    """

    def __init__(self, out: Path | None) -> None:
        self._out = str(out) if out else None

    def say(self, line: str) -> None:
        """Print a notice."""
        _write("notice", text=line)

    def begin(self, title: str, seed: int) -> None:
        """Print what is trained."""
        _write("begin", title=title, seed=seed, out=self._out)

    def advance(self, batches: int, total: int) -> None:
        """Nothing: reports say it often enough."""

    def report(self, report: Report, total: int) -> None:
        """Print metrics."""
        values = asdict(report)
        _write(values.pop("kind"), **values, total=total)

    def end(self, ended: Ended, *, verbose: bool) -> None:  # noqa: ARG002 - it is about people
        """Print how the training ended."""
        _write("end", **asdict(ended), out=self._out)


def _write(event: str, **values: object) -> None:
    click.echo(json.dumps({"event": event} | values))
