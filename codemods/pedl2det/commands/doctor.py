"""``pedl2det doctor``: what this environment has and lacks for training."""

from __future__ import annotations

import sys

import click

from pedl2det.doctor import checks, install_horovod
from pedl2det.visible import say


@click.command("doctor")
@click.option(
    "--install", is_flag=True, help="Build Horovod for this TensorFlow and install it: 2 minutes."
)
def command(install: bool) -> None:
    """Say what is missing for training, and for training on several processes.

    Marks: ok; -- an optional part is missing; !! a required part is missing (exit code 1).
    """
    if install:
        install_horovod(say)
    complete = True
    for check in checks():
        complete &= check.is_there or check.is_optional
        say(f"{check.mark}  {check.name:12} {check.said}")
    sys.exit(0 if complete else 1)
