"""``pedl2det eject``: write a plain script from a trial."""

from __future__ import annotations

from pathlib import Path

import click

from pedl2det.commands import arguments
from pedl2det.commands.runtime import runtime
from pedl2det.visible import say


@click.command("eject")
@arguments.directory
@arguments.config
@click.option(
    "--out", type=arguments.path, help="The directory to write; else DIR with -keras at its end."
)
def command(directory: Path, config: Path | None, out: Path | None) -> None:
    """Write a directory that trains the trial in DIR with TensorFlow alone.

    It has the trial's files, train.py with an option for each hyperparameter, and keras_trial.py
    with what the trial used of Determined. An old trial is migrated first, in a copy.
    """
    arguments.require(directory, config=config)
    runtime()
    from pedl2det.eject.eject import eject

    home = directory.resolve()
    out = out or home.with_name(f"{home.name}-keras")
    script, differs = eject(directory, out, config)
    say(f"wrote {script}")
    for line in differs:
        say(f"  {line}")
    say(f"train it: python {script}")
    chosen = "" if config is None else f" -c {config}"
    say(
        "prove that it trains the same: "
        f"pedl2det verify {directory}{chosen} --against {script.parent}"
    )
