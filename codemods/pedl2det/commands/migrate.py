"""``pedl2det migrate``: rewrite old trials in place."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pedl2det.errors import Pedl2DetError
from pedl2det.findings import Kind
from pedl2det.migrate import Result, migrate
from pedl2det.report import FORMATS, check_output, formatted, show_patch, summary, write_report
from pedl2det.write import write_all


@click.command("migrate")
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."
)
@click.option("--diff", is_flag=True, help="Show the changes and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would change.")
@click.option(
    "--report", type=click.Path(path_type=Path), help="Also write a report: .json, .html, .sarif."
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", help="Of findings on stdout."
)
def command(
    paths: tuple[Path, ...], diff: bool, check: bool, report: Path | None, form: str
) -> None:
    """Rewrite the old trials below PATH to the context-based API, with their configs."""
    for path in paths:
        if not path.exists():
            raise Pedl2DetError(f"{path}: no such file or directory")
    check_output(report, form, diff)
    result = migrate(list(paths))
    writes = not (diff or check)
    if diff:
        show_patch(result)
    if writes:
        write_all(result.files)
    done = "rewritten" if writes else "would be rewritten"
    for line in formatted(form, result):
        click.echo(line)
    for line in summary(result, done):
        click.echo(line, err=True)
    if report is not None:
        write_report(report, result, done)
    sys.exit(_exit_code(result, check))


def _exit_code(result: Result, check: bool) -> int:
    if result.of_kind(Kind.BAD_INPUT):
        return 2
    return 1 if result.of_kind(Kind.PERSON) or (check and result.files) else 0
