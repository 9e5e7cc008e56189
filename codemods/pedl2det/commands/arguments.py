"""Arguments that several commands have: a trial, its config, and values of it."""

from __future__ import annotations

from pathlib import Path

import click

directory = click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
config = click.option(
    "-c", "--config", type=click.Path(path_type=Path), help="Experiment config; else DIR's own."
)
overrides = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace one config value."
)
