"""What the command line does with what went wrong: exit codes 1, 2 and 3."""

from __future__ import annotations

import sys
import traceback
from typing import Any

import click


class Pedl2DetError(click.ClickException):
    """A user's mistake: one clear line on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"pedl2det: {self.message}", file=file or sys.stderr)


#: What a user is asked to do about a defect of ours.
DEFECT = (
    "This is a mistake of pedl2det, not of yours. Please report it with the command, what is "
    "printed above and, if you may show it, the file it happened on."
)


def report_defect(error: BaseException) -> int:
    """Say that this is a defect of ours and how to report it; returns exit code 3."""
    traceback.print_exception(error)
    click.echo(f"pedl2det: defect: {type(error).__name__}: {error}\n{DEFECT}", err=True)
    return 3
