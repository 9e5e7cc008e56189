"""Arguments and options that several commands have, and `path`, the type of a path."""

from __future__ import annotations

from pathlib import Path

import click

from pedl2det.errors import Pedl2DetError

path = click.Path(path_type=Path)
at_least_1 = click.IntRange(min=1)

directory = click.argument("directory", type=path, metavar="DIR")
config = click.option("-c", "--config", type=path, help="Experiment config; else DIR's own.")
overrides = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace one config value."
)
traceback = click.option(
    "--traceback", "with_stack", is_flag=True, help="Show the stack of a trial's error."
)


def require(*directories: Path | None, config: Path | None = None) -> None:
    """Raise an error if one of some directories, or the config, does not exist."""
    for place in filter(None, directories):
        if not place.is_dir():
            raise Pedl2DetError(f"{place}: no such directory")
    if config is not None and not config.is_file():
        raise Pedl2DetError(f"{config}: no such file")
