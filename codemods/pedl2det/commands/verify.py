"""``pedl2det verify``: prove that a trial trains the same after its migration."""

from __future__ import annotations

import signal
import sys
import tempfile
from pathlib import Path

import click

from pedl2det.engine import MetricNames, Result, migrate
from pedl2det.errors import Pedl2DetError
from pedl2det.files.write import write_all
from pedl2det.report import summary
from pedl2det.verify.twins import Twin, copy_trial, train

_SHOWN = 5


@click.command("verify")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "-c", "--config", type=click.Path(path_type=Path), help="Experiment config; else DIR's own."
)
@click.option("--batches", type=click.IntRange(min=1), help="Train no more than this.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Compare with this trial instead of a migrated copy.",
)
@click.option(
    "--report", type=click.Path(path_type=Path), help="Write the comparison and curves as HTML."
)
def command(
    directory: Path,
    config: Path | None,
    batches: int | None,
    against: Path | None,
    report: Path | None,
) -> None:
    """Migrate a copy of the trial in DIR, train both, and compare everything to the bit."""
    for path in filter(None, (directory, against)):
        if not path.is_dir():
            raise Pedl2DetError(f"{path}: no such directory")
    if config is not None and not config.is_file():
        raise Pedl2DetError(f"{config}: no such file")
    if report is not None and report.suffix != ".html":
        raise Pedl2DetError(f"--report {report}: expected a file name ending in .html")
    # Asked to end, end both trainings too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="pedl2det-verify-") as scratch:
        twins, names = _twins(Path(scratch), directory, config, against)
        train(twins, batches)
        from pedl2det.verify.compare import compare_runs

        result = compare_runs(twins[0].out, twins[1].out, names)
        if report is not None:
            from pedl2det.verify.html import write_report

            write_report(report, directory, result, twins[0].out, twins[1].out, names)
    click.echo(
        f"compared {result.batches} batches and {result.reports} reports "
        f"({result.values} metric values), {result.tensors} weight tensors "
        f"({result.numbers} numbers)"
    )
    if names is not None:
        click.echo(f"names in validations: {names.described}")
    if result.more:
        click.echo(f"reported by the new trial alone, as it should: {', '.join(result.more)}")
    if result.is_equal:
        click.echo("equal: the largest difference is 0")
        return
    click.echo(f"different: the largest difference is {result.largest:.3g}")
    for line in result.differences[:_SHOWN]:
        click.echo(f"  {line}")
    if len(result.differences) > _SHOWN:
        click.echo(f"  and {len(result.differences) - _SHOWN} more")
    sys.exit(1)


def _twins(
    scratch: Path, directory: Path, config: Path | None, against: Path | None
) -> tuple[tuple[Twin, Twin], MetricNames | None]:
    """The two trials, and what the new one calls the old one's metrics."""
    old, new = scratch / "old" / directory.resolve().name, scratch / "new" / "trial"
    copy_trial(directory, old)
    copy_trial(against or directory, new)
    configs: list[Path | None] = [None, None]
    if config is not None:
        configs = [_config_in(copy, directory, config) for copy in (old, new)]
    result = migrate([old]) if against else _migrate(directory, new, configs[1])
    twins = (
        Twin("old", old, scratch / "old" / "results", configs[0]),
        Twin("new", new, scratch / "new" / "results", configs[1]),
    )
    return twins, next(iter(result.metric_names.values()), None)


def _config_in(copy: Path, directory: Path, config: Path) -> Path:
    """The config as a part of a copy, so that it is migrated with the code."""
    resolved = config.resolve()
    if resolved.is_relative_to(directory.resolve()):
        return copy / resolved.relative_to(directory.resolve())
    target = copy / f"verified-{config.name}"
    target.write_bytes(config.read_bytes())
    return target


def _migrate(directory: Path, copy: Path, config: Path | None) -> Result:
    """Migrate the copy; leave if that leaves the trial, or the config that it is trained by."""
    result = migrate([copy])
    used = config or copy / "const.yaml"
    others = [one for one in copy.glob("*.y*ml") if one != used] if used.exists() else []
    left = [one for one in result.findings if one.kind.is_left and one.path not in others]
    if any(not one.status.is_finished for one in result.outcomes) and left:
        for line in summary(result, "rewritten"):
            click.echo(line.replace(str(copy), str(directory)), err=True)
        sys.exit(1)
    write_all(result.files)
    if not result.outcomes:
        click.echo(f"{directory} uses no old API: it is trained twice, as it is")
    return result
