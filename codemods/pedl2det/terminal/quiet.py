"""A run that is not watched: what needs attention, and nothing else."""

from __future__ import annotations

import click

from pedl2det_runtime.trainer.display import Nothing


class Quiet(Nothing):
    """Prints notices on stderr."""

    def say(self, line: str) -> None:
        """Print a notice."""
        click.echo(line, err=True)
