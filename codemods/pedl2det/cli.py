"""The command line: ``pedl2det COMMAND``.

A command's module is imported when the command is called, so that ``--help`` is quick.
"""

from __future__ import annotations

import gc
import importlib
import sys

import click

from pedl2det import __version__
from pedl2det.errors import report_defect

_COMMANDS = {
    "migrate": "Rewrite old trials, their configs and helpers, in place.",
    "run": "Train an old or a new trial.",
    "search": "Train the trials of a search, and name the best.",
    "verify": "Prove that a trial trains the same after its migration.",
    "eject": "Write a script that trains a trial with TensorFlow alone.",
    "checkpoint": "Show a checkpoint of any age, or convert it to today's format.",
    "rules": "Show what migrate does, rule by rule.",
    "doctor": "Say what is missing for training, and install Horovod.",
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"pedl2det.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Commands,
    commands={name: click.Command(name) for name in _COMMANDS},  # for click's suggestions
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pedl2det")
def cli() -> None:
    """Old PEDL and Determined Keras trials: train them as they are, migrate them, prove it.

    Exit codes: 0 done; 1 something is left for a person; 2 wrong usage or bad input; 3 a defect
    of pedl2det.
    """


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        cli.main(prog_name="pedl2det")
    except Exception as error:
        sys.exit(report_defect(error))
    finally:
        gc.freeze()  # exit without scanning all modules for garbage
