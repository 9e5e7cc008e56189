"""``pedl2det run``: train an old or a new trial."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from pedl2det.analysis.tree import YAML
from pedl2det.commands.runtime import fail, old_names, runtime
from pedl2det.engine.script_configs import config_in_script, refuse_native
from pedl2det.errors import Pedl2DetError


@click.command("run")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "-c", "--config", type=click.Path(path_type=Path), help="Experiment config; else DIR's own."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where metrics.jsonl, checkpoints and TensorBoard events go; else runs/<name of DIR>.",
)
@click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Replace one config value."
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint in --out.")
@click.option("--force", is_flag=True, help="Resume although what is trained has changed.")
@click.option(
    "--from-checkpoint",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Begin a new run with the weights and states of a checkpoint of any format.",
)
@click.option("--weights-only", is_flag=True, help="Take only the weights of that checkpoint.")
@click.option("--max-batches", type=click.IntRange(min=1), help="Train no more than this.")
@click.option("--test", is_flag=True, help="One batch of everything, to see that it works.")
@click.option("--trace", is_flag=True, help="Write every batch's metrics to batches.jsonl.")
@click.option(
    "--slots",
    type=click.IntRange(min=1),
    help="Processes that train, on Horovod; else resources.slots_per_trial.",
)
@click.option("--hosts", metavar="H1:4,H2:4", help="The machines of these, and their slots.")
@click.option("--traceback", "with_stack", is_flag=True, help="Show the stack of a trial's error.")
def command(
    directory: Path,
    config: Path | None,
    out: Path | None,
    overrides: tuple[str, ...],
    resume: bool,
    force: bool,
    from_checkpoint: Path | None,
    weights_only: bool,
    max_batches: int | None,
    test: bool,
    trace: bool,
    slots: int | None,
    hosts: str | None,
    with_stack: bool,
) -> None:
    """Train the trial in DIR, of whichever generation it is.

    DIR may also be a trial's file, or one of its configs.
    """
    if directory.suffix in YAML and not directory.is_dir():
        if config is not None:
            raise Pedl2DetError(f"{directory}: this is a config, so leave out -c {config}")
        directory, config = _home_of(directory), directory
    out = out or Path("runs") / directory.resolve().name
    options = runtime().RunOptions(
        directory=directory,
        out=out,
        config=config or _config_of_script(directory),
        overrides=overrides,
        resume=resume,
        force=force,
        from_checkpoint=from_checkpoint,
        weights_only=weights_only,
        max_batches=max_batches,
        test=test,
        trace=trace,
        slots=slots,
    )
    from pedl2det_runtime import errors
    from pedl2det_runtime.distributed.joining import is_chief
    from pedl2det_runtime.trainer import signals

    searched = [*sys.path]
    try:
        with signals.handled():
            progress = _run(options, hosts, with_stack)
    except errors.Pedl2DetError as error:
        if isinstance(error, errors.TrialLoadError):
            refuse_native(directory)
        fail(error, with_stack)
    except errors.Interrupted as stop:
        _stop(stop, options, hosts)
    finally:
        sys.path[:] = searched
    if progress and is_chief():
        click.echo(f"trained {progress.batches} batches; results in {out}")


def _run(options: Any, hosts: str | None, with_stack: bool) -> Any:
    """Train in this process, or start the ranks; returns the progress of this process."""
    from pedl2det_runtime.launch.start import ranks_to_start, start_ranks

    if ranks := ranks_to_start(options, hosts):
        more = ["--traceback"] if with_stack else []
        start_ranks(options, ranks, hosts, _say, *more)
        return None
    with old_names(options):
        return runtime().run(options, click.echo)


def _stop(stop: Any, options: Any, hosts: str | None) -> NoReturn:
    """Say how to go on after a signal; a rank leaves that to the launcher."""
    from pedl2det_runtime.distributed.joining import is_rank
    from pedl2det_runtime.launch.output import Failure

    if is_rank():
        Failure(type(stop).__name__, str(stop), str(stop.number)).tell()
    else:
        more = f" --hosts {hosts}" if hosts else ""
        click.echo(f"pedl2det: {stop}; go on with: {options.to_resume()}{more}", err=True)
    sys.exit(stop.exit_code)


def _home_of(config: Path) -> Path:
    """Return the directory of a config's trial: its own, or the one above if that has the code."""
    home = config.parent.resolve()
    return home.parent if _has_code(home.parent) and not _has_code(home) else home


def _has_code(directory: Path) -> bool:
    return any(directory.glob("*.py")) or any(directory.glob("*/*.py"))


def _config_of_script(path: Path) -> Path | None:
    """The config that a script holds: the script that was named, or one that has no other.

    Raises:
        Pedl2DetError: there is no config, and a script of the Native API that needs one.
    """
    home = path.parent if path.is_file() else path
    has_config = any(file.suffix in YAML for file in home.glob("*.y*ml"))
    if not path.exists() or (has_config and not path.is_file()):
        return None
    found = config_in_script(path)
    if found is None and not has_config:
        refuse_native(path)
    return found


def _say(line: str, is_error: bool) -> None:
    click.echo(line, err=is_error)
