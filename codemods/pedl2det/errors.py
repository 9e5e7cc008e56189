"""Errors of the command line: exit codes 2 and 3."""

from __future__ import annotations

import traceback
from typing import Any

import click

from pedl2det.visible import say


class Pedl2DetError(click.ClickException):
    """A user's mistake: one clear line on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:  # noqa: ARG002 - click passes it
        """Print the line."""
        say(f"pedl2det: {self.message}", err=True)


#: What we ask a user to do about a defect of pedl2det.
DEFECT = (
    "This is a defect of pedl2det, not your mistake. Please report it with the command, the output "
    "above and, if you can share it, the file that caused it."
)


def report_defect(error: BaseException) -> int:
    """Print a defect of pedl2det and how to report it; return exit code 3."""
    say("".join(traceback.format_exception(error)).rstrip(), err=True)
    say(f"pedl2det: defect: {type(error).__name__}: {error}\n{DEFECT}", err=True)
    return 3
