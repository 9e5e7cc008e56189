"""Write docs/commands.md from the command line itself.

python scripts/commands_page.py           # writes it
python scripts/commands_page.py --check   # exit 1 if it is not what would be written
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import click
from generated_page import ROOT, write_or_check

from pedl2det.cli import cli

TARGET = ROOT / "docs" / "commands.md"
HEAD = """\
# Commands

All commands and their options (`scripts/commands_page.py` writes this page). `-h` prints the same.

Exit codes: 0 done; 1 something is left for a person (`migrate --check`: would change; `verify`:
differs); 2 wrong usage or bad input, in one line; 3 a defect of pedl2det. A run that a signal
stopped exits with 130 or 143.

## Completion

In bash, `eval "$(_PEDL2DET_COMPLETE=bash_source pedl2det)"` in `~/.bashrc` completes commands,
options and paths. In zsh, it is `zsh_source` in `~/.zshrc`; in fish,
`_PEDL2DET_COMPLETE=fish_source pedl2det | source` in
`~/.config/fish/completions/pedl2det.fish`.
"""


def main() -> int:
    """Write the page, or compare it."""
    return write_or_check(TARGET, "\n".join([HEAD, *_commands(cli, "pedl2det")]).rstrip() + "\n")


def _commands(group: click.Group, name: str) -> Iterator[str]:
    context = click.Context(group, info_name=name)
    for one in group.list_commands(context):
        command = group.get_command(context, one)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, f"{name} {one}")
        else:
            yield from _command(command, f"{name} {one}")


def _command(command: click.Command, name: str) -> Iterator[str]:
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f"## {name}\n\n```sh\n{name} {usage}\n```\n"
    yield f"{inspect.cleandoc(command.help or '')}\n"
    rows = [one.get_help_record(context) for one in command.params if isinstance(one, click.Option)]
    options = [row for row in rows if row is not None]
    if options:
        yield "| option | does |\n| --- | --- |"
        for option, does in options:
            yield f"| `{option.replace('|', ' or ')}` | {does.replace('|', ' or ')} |"
        yield ""


if __name__ == "__main__":
    sys.exit(main())
